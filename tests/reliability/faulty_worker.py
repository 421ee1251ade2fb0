"""The real engine process, with a real fault at a given moment: ``faulty_worker.py --fault segv --after 5``.

Everything else is the program's own worker and llama.cpp. ``--plan FILE`` names the faults of several lives, one a
line: each worker takes the first line away with it.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import resource
import signal
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def faulty_worker_command(*arguments: str) -> list[str]:
    return [sys.executable, "-P", str(Path(__file__).resolve()), *arguments]


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from app import protocol  # noqa: E402

FAULTS = ("segv", "abort", "assert", "bus", "hang", "memory", "garbage", "flood", "cut", "exit", "none")


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fault", choices=FAULTS, default="none")
    parser.add_argument("--after", type=int, default=3, help="chunks of an answer before the fault")
    parser.add_argument("--plan", type=Path)
    parser.add_argument("--address-space", type=int, default=0, help="RLIMIT_AS in bytes")
    parser.add_argument("--audit", default="", help="write every use of a network socket to this file")
    parser.add_argument("--map-files", action="store_true", help="keep model files mapped, as where memory is tight")
    return parser.parse_args(arguments)


def audit_sockets(path: str) -> None:
    """Note every address that Python code of this process resolves, connects to, binds or sends to."""
    def notice(event: str, arguments: tuple[object, ...]) -> None:
        if not event.startswith("socket.") or event in ("socket.__new__", "socket.gethostname"):
            return
        address = arguments[1] if event in ("socket.connect", "socket.bind", "socket.sendto") else arguments
        if isinstance(address, str | bytes):
            return  # a socket in the file system
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"{event} {address!r}\n")

    sys.addaudithook(notice)


class Mischief:
    """Counts the chunks of answers and does what was ordered when the time has come."""

    def __init__(self, script: argparse.Namespace) -> None:
        self.script = script
        self.chunks = 0

    def before(self, event: protocol.Event, stream: object) -> None:
        if not isinstance(event, protocol.Chunk) or self.script.fault == "none":
            return
        self.chunks += 1
        if self.chunks == self.script.after:
            self.commit(event, stream)

    def commit(self, event: protocol.Event, stream: object) -> None:
        fault = self.script.fault
        if fault == "segv":
            ctypes.string_at(0)
        elif fault == "abort":
            os.abort()
        elif fault == "assert":
            fail_an_assertion()
        elif fault == "bus":
            os.kill(os.getpid(), signal.SIGBUS)
        elif fault == "hang":
            os.kill(os.getpid(), signal.SIGSTOP)
        elif fault == "exit":
            os._exit(7)
        elif fault == "memory":
            eat_memory()
        elif fault == "garbage":
            for number in range(2000):
                stream.write(b"\xff\xfe\x00 garbage %d \x1b]0;owned\x07\n" % number + b"x" * 500 + b"\n")  # type: ignore[attr-defined]
        elif fault == "flood":
            block = b"x" * (1 << 20)
            while True:
                stream.write(block)  # type: ignore[attr-defined]
        elif fault == "cut":
            line = protocol.encode(event)
            stream.write(line[: len(line) // 2])  # type: ignore[attr-defined]
            stream.flush()  # type: ignore[attr-defined]
            os._exit(0)


def fail_an_assertion() -> None:
    """Ask ggml for a tensor of a type that there is not: its own GGML_ASSERT ends the process."""
    import llama_cpp

    library = ctypes.CDLL(str(Path(llama_cpp.__file__).parent / "lib" / "libggml-base.so"))
    library.ggml_new_tensor.restype = ctypes.c_void_p
    library.ggml_new_tensor.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_void_p]
    library.ggml_init.restype = ctypes.c_void_p

    class InitParams(ctypes.Structure):
        _fields_ = (("size", ctypes.c_size_t), ("buffer", ctypes.c_void_p), ("no_alloc", ctypes.c_bool))

    library.ggml_init.argtypes = [InitParams]
    context = library.ggml_init(InitParams(1 << 16, None, False))
    extents = (ctypes.c_int64 * 4)(1, 1, 1, 1)
    library.ggml_new_tensor(context, 9999, 1, extents)


def eat_memory() -> None:
    """Take memory until there is none; then there is some again, as when other programs end."""
    before, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (address_space() + (64 << 20), hard))
    eaten = []
    try:
        while True:
            eaten.append(bytearray(32 << 20))
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (before, hard))


def address_space() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return pages * resource.getpagesize()


def main(arguments: list[str]) -> int:
    script = parse(arguments)
    if script.plan is not None:
        script.fault, _, rest = script.plan.read_text(encoding="ascii").partition("\n")
        script.fault = script.fault or "none"
        script.plan.write_text(rest, encoding="ascii")
    if script.address_space:
        resource.setrlimit(resource.RLIMIT_AS, (script.address_space,) * 2)
    if script.audit:
        audit_sockets(script.audit)
    from app.worker import main as worker
    from app.worker.stdio import Outlet

    mischief = Mischief(script)

    class FaultyOutlet(Outlet):
        def send(self, event: protocol.Event) -> None:
            mischief.before(event, self._stream)
            super().send(event)

    worker.Outlet = FaultyOutlet  # type: ignore[misc]
    if script.map_files:
        import psutil

        psutil.virtual_memory = lambda: argparse.Namespace(total=1, available=1)
    return worker.main()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
