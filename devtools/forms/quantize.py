"""``python -m devtools.forms.quantize SOURCE DESTINATION bf16|q8_0|q4_0 [--whole]``: make another form of a model file.

``--whole`` gives embeddings and output matrix the same form. Used by ``dev.py models`` for the test rigs.
"""

from __future__ import annotations

import argparse
import sys

from app.engine.backends import llama
from app.errors import SlipstreamError


def _write_line(line: str) -> None:
    sys.stderr.write(line)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m devtools.forms.quantize")
    parser.add_argument("source")
    parser.add_argument("destination")
    parser.add_argument("kind", choices=["bf16", "q8_0", "q4_0"])
    parser.add_argument("--whole", action="store_true")
    arguments = parser.parse_args()
    library = llama.LlamaLibrary(on_log=_write_line)
    try:
        library.quantize(arguments.source, arguments.destination, arguments.kind, whole=arguments.whole)
    except SlipstreamError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
