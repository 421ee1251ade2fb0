"""What the figures under an answer mean, and why drafting did not help where it did not."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.chat.answer import Answer
from app.gui.words import figures
from app.gui.words.messages import localise

_translate = QCoreApplication.translate
_LEAST_GAIN = 1.05
_LOW_SHARE = 0.45


def answer_explanation(answer: Answer) -> str:
    """What each figure under an answer means, and why drafting did not help where it did not; one line each."""
    if not answer.emitted_tokens:
        return ""
    lines = [_translate("AnswerWords", "Tokens/s: tokens written ÷ time of writing, without reading the prompt.")]
    if answer.time_to_first_token_s > 0:
        lines.append(_translate("AnswerWords", "First after: from the start of reading the prompt to the first token."))
    if answer.num_draft_tokens:
        kept = _translate("AnswerWords", "Accepted: {accepted} of {drafted} guessed tokens that the target kept.")
        lines.append(kept.format(accepted=f"{answer.num_accepted_draft_tokens:,}",
                                 drafted=f"{answer.num_draft_tokens:,}"))
        lines.append(_translate("AnswerWords", "Per step: tokens that one pass of the target yields, 1 without "
                                               "drafting."))
    if answer.speed_up > 0:
        lines.append(_translate("AnswerWords", "Speed-up: against this model's own speed without drafting, as "
                                               "measured here."))
    elif answer.num_draft_tokens and answer.is_over:
        lines.append(_translate("AnswerWords", "Speed-up: not known until this model has written "
                                               "some tokens without drafting."))
    return "\n".join(filter(None, [*lines, other_programs(answer), why_no_gain(answer)]))


def other_programs(answer: Answer | None) -> str:
    """A sentence on what other programs use, where that explains a slow answer; else ""."""
    if answer is None or not answer.is_disturbed:
        return ""
    words = _translate("AnswerWords", "Other programs are using {used} of {cores} cores, so answers come slower.")
    return words.format(used=f"{answer.other_cores:.1f}", cores=answer.cores)


def why_no_gain(answer: Answer) -> str:
    """A sentence on why speculation was off or did not help; "" where it helped or that is not known yet."""
    if not answer.is_over or not answer.emitted_tokens:
        return ""
    if not answer.num_draft_tokens:
        if answer.method in ("", "off"):
            return _translate("AnswerWords", "Nothing was drafted: speculation was off for this answer, or no "
                                             "draft model was loaded for it.")
        if answer.notices:
            return localise(answer.notices[-1])
        if answer.method.startswith("auto"):
            return _translate("AnswerWords", "Nothing was drafted: by what was measured here, it would not have "
                                             "been faster.")
        return _translate("AnswerWords", "Nothing was drafted: the method found nothing in this text to guess from.")
    if not 0 < answer.speed_up < _LEAST_GAIN:
        return ""
    if answer.accepted_share < _LOW_SHARE:
        words = _translate("AnswerWords", "Drafting gained little: the target kept only {share} of the guesses. "
                                          "Another draft or shorter drafts may do better.")
        return words.format(share=figures.share(answer.accepted_share))
    return _translate("AnswerWords", "Drafting gained little although most guesses stood: checking them costs about "
                                     "as much time here as it saves. Auto leaves it where that is so.")
