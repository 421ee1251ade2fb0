"""What drafts gained on this computer, from answers in chats and from comparisons."""

from __future__ import annotations

from app.compare.report import Report
from app.settings.settings import MeasuredGain

_REMEMBERED_ANSWERS = 24


def with_answer(before: MeasuredGain | None, factor: float) -> MeasuredGain:
    """What is known after one more answer that was ``factor`` times as fast as plain ones: a mean, of which old answers
    fade once there are many."""
    known = before or MeasuredGain(factor=factor, answers=0)
    weight = min(known.answers + 1, _REMEMBERED_ANSWERS)
    return MeasuredGain(factor=round(known.factor + (factor - known.factor) / weight, 4), answers=known.answers + 1)


def gains_of(report: Report) -> dict[str, dict[str, MeasuredGain]]:
    """By target and draft, what a comparison found against its first side, if that drafted nothing. Of several ways to
    use one draft the fastest counts."""
    found: dict[str, dict[str, MeasuredGain]] = {}
    by_name = {side.name: side for side in report.sides}
    results = report.result.overall.sides
    baseline = by_name.get(results[0].side) if results else None
    if baseline is None or baseline.method != "off":
        return {}
    for result in results[1:]:
        side = by_name.get(result.side)
        if side is None or side.setup.draft is None or result.speedup is None or not result.num_draft_tokens:
            continue
        if side.setup.target != baseline.setup.target:
            continue
        gain = MeasuredGain(factor=round(result.speedup.factor, 3), answers=result.trials)
        drafts = found.setdefault(side.setup.target, {})
        before = drafts.get(side.setup.draft)
        if before is None or gain.factor > before.factor:
            drafts[side.setup.draft] = gain
    return found
