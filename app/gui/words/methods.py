"""Speculation methods and their parameters in words; what has none here is shown as the method has it."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.methods import METHODS, MethodKind

_translate = QCoreApplication.translate


def method_title(name: str) -> str:
    return {
        "draft": _translate("Methods", "Draft model"),
        "ngram-simple": _translate("Methods", "N-gram lookup"),
        "ngram-map-k": _translate("Methods", "N-gram map"),
        "ngram-map-k4v": _translate("Methods", "N-gram map, 4 ways"),
        "ngram-cache": _translate("Methods", "N-gram statistics"),
        "ngram-mod": _translate("Methods", "N-gram pool"),
        "suffix": _translate("Methods", "Suffix automaton"),
        "lookahead": _translate("Methods", "Lookahead"),
        "off": _translate("Methods", "Off"), "auto": _translate("Methods", "Auto"),
    }.get(name, METHODS[name].title if name in METHODS else name)


def method_words(name: str) -> str:
    """What the method does, in a sentence; "" for one that is not known here."""
    return {
        "draft": _translate("Methods", "A small model of the same family guesses, the target checks."),
        "ngram-simple": _translate("Methods", "Copies what followed the last time the same words stood in the text. "
                                              "Good for editing and quoting."),
        "ngram-map-k": _translate("Methods", "As N-gram lookup, by an index of long phrases of this chat."),
        "ngram-map-k4v": _translate("Methods", "As N-gram map, with up to four continuations of a phrase."),
        "ngram-cache": _translate("Methods", "Guesses by how often words followed each other, in this and earlier "
                                             "answers."),
        "ngram-mod": _translate("Methods", "Looks phrases up in a pool that all answers share. Only long drafts are "
                                           "used."),
        "suffix": _translate("Methods", "Follows the longest repeat in the text and how often each word came next."),
        "lookahead": _translate("Methods", "The target guesses its own next words beside its work. Needs spare "
                                           "computing power."),
    }.get(name, "")


def option_label(key: str) -> str:
    return {
        "max": _translate("Methods", "Max draft tokens"),
        "min": _translate("Methods", "Min draft tokens"),
        "p_min": _translate("Methods", "Draft probability"),
        "sampling": _translate("Methods", "Draft sampling"),
        "first": _translate("Methods", "Ask first"),
        "n": _translate("Methods", "Phrase length"),
        "m": _translate("Methods", "Max draft tokens"),
        "min_hits": _translate("Methods", "Least repeats"),
        "file": _translate("Methods", "Statistics file"),
        "factor": _translate("Methods", "Tokens per repeat"),
        "history": _translate("Methods", "Earlier answers"),
        "window": _translate("Methods", "Window"),
        "free": _translate("Methods", "Without a draft"),
    }.get(key, key)


def option_words(kind: MethodKind, key: str) -> str:
    """What the parameter means."""
    own = {
        "max": _translate("Methods", "At most this many guessed tokens per step"),
        "min": _translate("Methods", "Shorter drafts are not used"),
        "p_min": _translate("Methods", "Guessing stops when the draft is less sure than this"),
        "sampling": _translate("Methods", "Greedy gives the same text as without a draft; exact draws as the target "
                                          "would, and accepts more at high temperatures"),
        "first": _translate("Methods", "A method without a model that is asked before the draft model"),
        "n": _translate("Methods", "How many tokens must repeat before what followed is copied"),
        "m": _translate("Methods", "At most this many guessed tokens per step"),
        "min_hits": _translate("Methods", "How often the phrase must have stood in the text"),
        "file": _translate("Methods", "Statistics of earlier answers, read and kept up in this file; empty for none"),
        "factor": _translate("Methods", "How many tokens are guessed for each token of the repeat"),
        "history": _translate("Methods", "Whether earlier answers are looked into, too"),
        "window": _translate("Methods", "How many guesses are worked on behind the draft"),
        "free": _translate("Methods", "The method without a draft model that is used where it pays"),
    }.get(key)
    return own if own is not None else kind.options[key].help


def choice_title(word: str) -> str:
    """One of the words that a parameter takes."""
    return {
        "greedy": _translate("Methods", "Greedy"), "exact": _translate("Methods", "Exact"),
        "on": _translate("Methods", "On"), "off": _translate("Methods", "Off"),
        "none": _translate("Methods", "Nothing"), "auto": _translate("Methods", "Auto"),
        "lookup": _translate("Methods", "By lookup"),
    }.get(word) or (method_title(word) if word in METHODS else word)
