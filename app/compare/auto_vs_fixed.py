"""Auto against the best fixed setting, and the noise, as rows and sentences."""

from __future__ import annotations

from collections.abc import Sequence

from app.compare.best_fixed import LEAST_FOR_KINDS, LEAST_FOR_PROMPTS, AgainstFixed, Level, NoiseRow, Standing
from app.compare.verdict import format_estimate

TITLE = "Auto against the best fixed setting"


def standing_rows(against: AgainstFixed, level: Level) -> list[list[str]]:
    """A head, and a row for each kind (and for all), or for each prompt."""
    levels = ("prompt",) if level == "prompt" else ("kind", "all")
    head = ["prompt" if level == "prompt" else "kind", f"{against.auto} against {against.baseline} (95%)",
            "best fixed on odd repeats", f"{against.auto} against it on even repeats (95%)"]
    return [head, *(_row(standing) for standing in against.standings if standing.level in levels)]


def _row(standing: Standing) -> list[str]:
    return [standing.name, format_estimate(standing.against_baseline), standing.best_fixed or "–",
            format_estimate(standing.against_best)]


def describe_standing(against: AgainstFixed) -> list[str]:
    """Sentences: auto against each fixed setting over all, and how many kinds and prompts it has failed."""
    each = ", ".join(f"{format_estimate(estimate)} “{name}”" for name, estimate in against.fixed.items())
    lines = [f"{against.auto} over all prompts and repeats: {each}."]
    levels: tuple[tuple[Level, float], ...] = (("kind", LEAST_FOR_KINDS), ("prompt", LEAST_FOR_PROMPTS))
    for level, least in levels:
        total = sum(standing.level == level for standing in against.standings)
        scored = sum(standing.level == level and standing.against_best is not None for standing in against.standings)
        words = f"{level.capitalize()}s whose whole interval is below {least:g}: " \
            f"{against.count_below(level, least, of_best=False)} of {total} against “{against.baseline}”"
        if scored:
            words += f", {against.count_below(level, least, of_best=True)} of {scored} against the best fixed setting"
        lines.append(words + ".")
    if not any(standing.against_best for standing in against.standings):
        lines.append("The best fixed setting is chosen on odd repeats and scored on even ones: that takes two repeats.")
    return lines


def describe_noise(noise: Sequence[NoiseRow]) -> list[str]:
    """Sentences on what a setting differs from itself by."""
    return [
        f"Noise: “{row.side}” against itself {format_estimate(row.estimate)}"
        + (f"; a single pair scatters by ±{row.spread:.1%}." if row.spread is not None else ".")
        for row in noise
    ]
