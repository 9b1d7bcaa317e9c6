"""Messages of errors and warnings in the source."""

import ast
import re
from pathlib import Path

import pauci

SOURCE = Path(pauci.__file__).parent
ERRORS = ("InputError", "InputTypeError", "UndefinedError")


def _text(node):
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) for part in node.values)
    return f"<{ast.unparse(node)}>"


def _messages():
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args:
                kind = getattr(node.func, "value", node.func)
                kind = kind.id if isinstance(kind, ast.Name) else ""
                if kind in ERRORS or kind.endswith("Warning"):
                    about = {k.arg: _text(k.value) for k in node.keywords}
                    yield f"{name}:{node.lineno}", _text(node.args[0]), about


def test_messages_that_begin_with_an_argument_are_composed_from_it():
    """Else the command line would not replace the argument by its option."""
    for place, message, about in _messages():
        argument = about.get("argument")
        assert not re.match(r"\w+=", message), place
        if argument is not None:
            assert not message.startswith((f"{argument}=", f"{argument} ")), place
