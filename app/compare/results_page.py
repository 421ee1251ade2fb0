"""A Markdown page of measurements, one section a pair of models: a newer measurement takes the place of the older."""

from __future__ import annotations

PREAMBLE = """# Benchmarks

Written by `slipstream bench --markdown` (`dev.py bench` does it for the standard pair); do not edit by hand. Speed-ups
are ratios measured in one interleaved run, with their 95% interval where there is more than one.
"""


def put_section(page: str, title: str, body: str) -> str:
    """``page`` with the section ``## title`` replaced by ``body``, or with it at the end if it was not there.

    An empty page gets a heading first.
    """
    head, *sections = (page or PREAMBLE).split("\n## ")
    section = f"{title}\n\n{body.strip()}\n"
    titles = [text.partition("\n")[0] for text in sections]
    if title in titles:
        sections[titles.index(title)] = section
    else:
        sections.append(section)
    return "\n\n## ".join(part.strip("\n") for part in (head, *sections)) + "\n"
