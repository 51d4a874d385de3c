"""Calls of the command line in this process."""

from __future__ import annotations

from typer.testing import CliRunner, Result

from tritarea_eval.commands import app


def run(*arguments: object, typed: str = "") -> Result:
    return CliRunner().invoke(app, [str(a) for a in arguments], input=typed)


def good(*arguments: object, typed: str = "") -> str:
    result = run(*arguments, typed=typed)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*arguments: object) -> str:
    """What a refused command says: no traceback, its last line is the error."""
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output
    return result.stderr.strip().splitlines()[-1]
