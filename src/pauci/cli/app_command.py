"""``pauci app``: a page in the browser, on this computer only."""

from typing import Annotated

from pauci.cli.output import write_line
from pauci.cli.read_files import FileContent
from pauci.cli.typed_commands import FileArgument, command, option
from pauci.errors import InputError, install_advice

_NEEDED = ("starlette", "multipart", "uvicorn", "h11")

OptionalFile = Annotated[
    str | None,
    FileArgument("FILE is read from this computer. Without it, the page asks for a file.", False),
]
Port = Annotated[
    int | None, option("Output", "--port", help="Port of the address.  [default: a free one]")
]
NoBrowser = Annotated[
    bool, option("Output", "--no-browser", help="Print the address without opening a browser.")
]


@command(
    "app",
    short_help="A page in the browser, without commands.",
    example="pauci app example:ljubljana_scores",
)
def app_command(file: OptionalFile, port: Port, no_browser: NoBrowser) -> None:
    """Analyse a file in the browser: choose columns, see the results, download tables and report.

    The page is on this computer only: nobody else can open it, and no data leave the computer.
    The address has a secret token and is valid until the command is stopped by Ctrl+C.
    """
    content = None if file is None else FileContent.of(file)
    try:
        from pauci.cli.app import server
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _NEEDED:
            raise
        raise InputError(
            f"the app requires {package}, which is not installed.", hint=install_advice("app")
        ) from None
    server.serve(content, port or 0, write_line, browser=not no_browser)
