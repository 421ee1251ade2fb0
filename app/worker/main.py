"""The worker process: handshake, a thread that reads commands, and the main thread that carries them out."""

from __future__ import annotations

import faulthandler
import os
import queue
import signal
import sys
import threading
from typing import TYPE_CHECKING, BinaryIO

from app import __version__, protocol
from app.errors import OBSTACLE_STATUS
from app.installed import PACKAGES, known_proofs
from app.machine.cores import count_cores
from app.machine.load import LoadMeter
from app.machine.rest import Rest
from app.machine.threads import ThreadGovernor
from app.records import RPC_VARIABLE
from app.worker.flags import ASK_FLAG, PROVE_FLAG
from app.worker.obstacles import PROBE_VARIABLE, find_obstacle
from app.worker.quiet import QuietTime, take_commands
from app.worker.stdio import Outlet, take_over_stdio

if TYPE_CHECKING:
    from app.worker.session import EngineSession

EXIT_GRACE_S = 2.0


def main() -> int:
    """Run until stdin closes. Everything that fails within a command ends that command, not the process."""
    # Ctrl+C in a terminal reaches the whole group; the client decides what it means and tells us
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.umask(0o077)
    faulthandler.enable()
    # A failed assertion would start a debugger for a stack of native names, which takes half a minute.
    os.environ.setdefault("GGML_NO_BACKTRACE", "1")
    if sys.argv[-1] == PROVE_FLAG:
        return _be_tried()
    if ASK_FLAG in sys.argv:
        from app.worker.proof_question import answer_proof_question

        return answer_proof_question(sys.argv[sys.argv.index(ASK_FLAG) + 1 :])
    obstacle = find_obstacle(refused=_refused())
    if obstacle is not None:
        sys.stderr.write(obstacle.line())
        return OBSTACLE_STATUS
    # Only now: importing the engine where something is in its way can end the process.
    from app.engine.backends.rpc import add_rpc_servers
    from app.worker.engine_trial import TRIAL_FLAG, run_trial
    from app.worker.engines import make_engines, open_library
    from app.worker.session import EngineSession

    if os.environ.get(PROBE_VARIABLE):
        open_library("llama", _log_line)
        return 0
    commands_in, events_out = take_over_stdio()
    cores = count_cores()
    meter = LoadMeter(cores.all).start()
    governor = ThreadGovernor(cores, meter)
    rest = Rest(meter, governor)
    if sys.argv[-1] == TRIAL_FLAG:
        return run_trial(
            commands_in, events_out, lambda name, extra: open_library(name, _log_line, governor.count, extra)
        )
    outlet = Outlet(events_out)
    engines = make_engines([sys.executable, *sys.orig_argv[1:]], _log_line, governor.count, rest)
    session = EngineSession(engines, outlet.send, rest)
    session.rpc_notes = add_rpc_servers(os.environ.get(RPC_VARIABLE, ""))
    outlet.send(
        protocol.Ready(
            request_id=0,
            protocol_version=protocol.PROTOCOL_VERSION,
            program_version=__version__,
            engine=session.engine_name,
            pid=os.getpid(),
        )
    )
    todo: queue.SimpleQueue[protocol.AnyCommand | None] = queue.SimpleQueue()
    threading.Thread(target=_read_commands, args=(commands_in, session, outlet, todo), daemon=True).start()
    for command in take_commands(todo, session, QuietTime(session, rest)):
        session.carry_out(command)
    session.close()
    return 0


def _refused() -> frozenset[str]:
    """Packages of engines that are known not to run here."""
    return frozenset(PACKAGES[name] for name, proof in known_proofs().items() if proof.refused)


def _be_tried() -> int:
    """The life of a child that a library may end."""
    from app.worker.engines import open_library
    from app.worker.proving import run_proof

    commands_in, events_out = take_over_stdio()
    cores = count_cores()
    governor = ThreadGovernor(cores, LoadMeter(cores.all).start())
    return run_proof(commands_in, events_out, lambda name, extra: open_library(name, _log_line, governor.count, extra))


def _read_commands(
    stream: BinaryIO,
    session: EngineSession,
    outlet: Outlet,
    todo: queue.SimpleQueue[protocol.AnyCommand | None],
) -> None:
    """Queue commands; those that concern the running one are obeyed at once. Ends with stdin."""
    while line := stream.readline(protocol.MAX_LINE_BYTES):
        try:
            command = protocol.decode_command(line)
        except protocol.ProtocolError as error:
            _log_line(f"ignored a line that is no command: {error}\n")
            continue
        if isinstance(command, protocol.Stop):
            session.stop(command)
        elif isinstance(command, protocol.Skip):
            session.skip(command)
        elif isinstance(command, protocol.SetSpeculation):
            session.set_speculation(command)
        else:
            session.announce(command)
            todo.put(command)
    session.stop_everything()
    todo.put(None)
    # a template that never ends, or native code that does not look at the flag, must not outlive the window
    timer = threading.Timer(EXIT_GRACE_S, os._exit, args=(0,))
    timer.daemon = True
    timer.start()


def _log_line(line: str) -> None:
    sys.stderr.write(line)


