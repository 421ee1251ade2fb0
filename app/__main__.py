"""Entry point: no argument, or a model file, opens the window; ``--worker`` is the engine process, ``--helper`` the
window's helper, ``--start-clock`` measures the window's start; anything else is the command line."""

from __future__ import annotations

import sys


def main() -> int:
    arguments = sys.argv[1:]
    if arguments[:1] == ["--worker"]:
        from app.worker.main import main as run_worker

        return run_worker()
    if arguments == ["--helper"]:
        from app.helper.main import main as run_helper

        return run_helper()
    if arguments == ["--remote-worker"]:
        from app.client.remote_worker import main as run_remote_worker

        return run_remote_worker()
    if arguments == ["--start-clock"]:
        from app.gui.start_clock import main as run_start_clock

        return run_start_clock()
    if not arguments or (len(arguments) == 1 and arguments[0].lower().endswith(".gguf")):
        from app.gui.application import main as run_window

        return run_window()
    from app.cli.main import main as run_command_line

    return run_command_line(arguments)


if __name__ == "__main__":
    sys.exit(main())
