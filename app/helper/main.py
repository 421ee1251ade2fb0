"""The helper process: work on what others wrote that may never end, or take all memory. Whoever started it kills it.

Runs until stdin closes.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import traceback

import msgspec

from app.helper.messages import AnyReply, AnyRequest, ReadPdf, Refused, SetFormula

MOST_MEMORY_BYTES = 1024**3


def main() -> int:
    """Answer every line with one line."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    # Whatever a library prints must not get among the answers.
    os.dup2(2, 1)
    _limit()
    decoder = msgspec.json.Decoder(AnyRequest)
    for line in sys.stdin.buffer:
        reply = _answer(decoder.decode(line))
        answers.write(msgspec.json.encode(reply) + b"\n")
    return 0


def _answer(request: AnyRequest) -> AnyReply:
    try:
        return _dispatch(request)
    except Exception as error:  # noqa: BLE001 - the libraries raise anything on hostile input, and the window needs a reply
        if os.environ.get("SLIPSTREAM_HELPER_TRACE"):
            traceback.print_exc()
        return Refused(reason=f"could not be understood ({type(error).__name__})")


def _dispatch(request: AnyRequest) -> AnyReply:
    # Each library is loaded with the first request for it: most sessions need none.
    if isinstance(request, SetFormula):
        from app.helper.formula import set_formula

        return set_formula(request)
    assert isinstance(request, ReadPdf)
    from app.helper.pdf import read_pdf

    return read_pdf(request)


def _limit() -> None:
    """Lower priority and a bound on memory, where the system knows them."""
    if sys.platform == "win32":
        return
    import resource

    with contextlib.suppress(OSError, ValueError):
        os.nice(5)
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY_BYTES, MOST_MEMORY_BYTES))
