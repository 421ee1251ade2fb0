"""The figures of ``frame_bench`` as the section “The window” of docs/benchmarks.md."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from pathlib import Path

_HEAD = "## The window\n"
_SECTION = re.compile(r"^## The window\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
Found = Mapping[str, Mapping[str, object]]


def write_section(page: Path, found: Found, missed: list[str], tokens: int, processors: int) -> None:
    """Put the figures into ``page`` in the place of the earlier ones, or at its end."""
    section = "\n".join([_HEAD, _words(tokens, processors), "", "| What | Found | Bar |", "|---|---|---|",
                         *_rows(found), "", *(f"- **Missed.** {each}" for each in missed or []),
                         *([] if missed else ["Every bar is met."])]).rstrip() + "\n"
    text = page.read_text(encoding="utf-8")
    replaced, count = _SECTION.subn(lambda _: section + "\n", text)
    text = replaced if count else f"{text.rstrip()}\n\n{section}"
    page.write_text(text.rstrip() + "\n", encoding="utf-8")


def _words(tokens: int, processors: int) -> str:
    return (f"Written by `dev.py bench --gui` (`devtools/window/frame_bench.py`), {datetime.date.today()}, "
            f"{processors} cores. Frames: an answer of {tokens:,} tokens at 200 tokens/s into a chat of 200 messages, "
            "processor time of the window's thread.")


def _rows(found: Found) -> list[str]:
    rows: list[str] = []
    for name, place in (("frames_offscreen", "without a display"), ("frames_xvfb", "under Xvfb")):
        if name in found:
            got = found[name]
            rows.append(f"| Frame, 99th percentile and longest, {place} | {got['p99_ms']} ms, {got['most_ms']} ms "
                        f"(of {got['frames']}; mean {got['mean_ms']} ms) | < 8 ms, < 16 ms |")
            rows.append(f"| Memory of the window's process after it, {place} | "
                        f"{int(str(got['process_rss_bytes'])) / 1e6:.0f} MB | < 250 MB |")
    if "start" in found:
        got = found["start"]
        rows.append(f"| Warm start to the first painted window | {got['warm_start_s']} s (runs {_list(got['runs_s'])}; "
                    f"processor time {got['processor_s']} s) | < 1.0 s |")
    if "conversations" in found:
        got = found["conversations"]
        count = f"{got['conversations']:,} conversations of {got['messages_each']} messages"
        for key, what, bar in (("list_ms", f"List of {count}, painted", 100),
                               ("search_ms", "Search in them, from the last letter typed to the list painted", 100),
                               ("open_ms", "Opening one, to the first paint of its text", 200)):
            rows.append(f"| {what} | {got[key]} ms (slowest {got[key + '_slowest']} ms) | < {bar} ms |")
    if "engine" in found:
        got = found["engine"]
        rows.append(
            f"| Share of the engine's tokens/s, `{got['model']}`, every core busy | "
            f"{100 * float(str(got['cost_share'])):.1f}% (window {_list(got['window_tokens_per_second'])}, "
            f"`slipstream generate` {_list(got['generate_tokens_per_second'])} tokens/s in turn; the window's thread "
            f"itself {_list([round(100 * float(str(s)), 1) for s in _numbers(got['gui_thread_share'])])}%) | < 4% |")
    return rows


def _numbers(values: object) -> list[object]:
    return list(values) if isinstance(values, list) else [values]


def _list(values: object) -> str:
    return ", ".join(str(each) for each in _numbers(values))
