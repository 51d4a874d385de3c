"""The command line: ``tritarea``. Each command imports the rooms that it needs when it runs."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any, NoReturn


def main() -> None:
    """Run the command line.

    Exit codes: 0, 1 (an agent failed, the bench found something slower, or a bug), 2 (what was asked is wrong),
    130 (Ctrl-C), 143 (SIGTERM).
    """
    signal.signal(signal.SIGTERM, _stop)
    # torch's threads must not spin while they wait: with anything else running, training would slow down tenfold
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        from .commands import app
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("typer", "rich"):
            raise
        print('error: the command line needs typer and rich: pip install "tritarea[eval]"', file=sys.stderr)
        raise SystemExit(2) from None
    app(prog_name="tritarea")


def _stop(*_: Any) -> NoReturn:
    """End as an exception does, so that temporary files are removed."""
    raise SystemExit(128 + signal.SIGTERM)


if __name__ == "__main__":
    main()
