"""The page of ``pauci app``, and its server, which listens on this computer only.

It receives files, keeps their studies, and passes the values of the form to the functions of
`pages`, each in a thread, so that requests do not wait for each other. The address has a random
token, without which nothing is answered; requests under another host name and posts from other
sites are refused. The pages contain no scripts and cannot load anything from other sites.
"""

import io
import os
import queue
import secrets
import socket
import threading
import webbrowser
from collections import OrderedDict
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from typing import Any

from python_multipart.exceptions import FormParserError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pauci.cli.app import pages
from pauci.cli.app.kept_study import Study
from pauci.errors import InputError
from pauci.files.memory_limit import FileContent
from pauci.files.read_table import content_of

LOOPBACK = "127.0.0.1"

EXAMPLE = "example:ljubljana_scores"
"""The bundled data set that is opened without a file."""

LARGEST_UPLOAD = 500 * 10**6
"""Largest number of bytes of an uploaded file."""

_MOST_DRAINED = 20
"""How many times as many bytes as accepted are received, so that the browser reads the answer."""

_FORM_AROUND = 10_000
"""Number of bytes of an upload besides the file."""

MOST_STUDIES, LARGEST_KEPT = 20, 10**8
"""Largest number of files that are kept, and of bytes of memory if there are several."""

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self' data:; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Headers of every answer."""


class Studies:
    """The studies that are kept: those that were used last, while there is room."""

    def __init__(self, most: int = MOST_STUDIES, largest: int = LARGEST_KEPT) -> None:
        self._most, self._largest = most, largest
        self._studies: OrderedDict[str, Study] = OrderedDict()

    def add(self, study: Study) -> str:
        """Keep a study and return its key."""
        self.make_room(study.size)
        key = secrets.token_urlsafe(16)
        self._studies[key] = study
        return key

    def make_room(self, size: int) -> None:
        """Forget studies so that another one of a size can be added."""
        size += sum(study.size for study in self._studies.values())
        while self._studies and (len(self) >= self._most or size > self._largest):
            _, dropped = self._studies.popitem(last=False)
            size -= dropped.size

    def get(self, key: str) -> Study | None:
        """Return the study of a key unless it is no longer kept."""
        if key in self._studies:
            self._studies.move_to_end(key)
        return self._studies.get(key)

    def remove(self, key: str) -> None:
        """Forget a study."""
        self._studies.pop(key, None)

    def __len__(self) -> int:
        return len(self._studies)


# Access


def _guarded(app: ASGIApp, token: str, hosts: set[str]) -> ASGIApp:
    """Refuse requests with another host, without the token, and posts from other sites.

    Every answer has the headers.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        answering = app
        if scope["type"] == "http":
            answering = _refusal(scope, token, hosts) or app
            scope = {**scope, "root_path": f"/{token}"}
        await answering(scope, receive, send_with_headers)

    return answer


def _refusal(scope: Scope, token: str, hosts: set[str]) -> Response | None:
    """Return the answer to a request that is refused, or None."""
    headers = Headers(scope=scope)
    named = headers.getlist("host")
    if len(named) != 1 or named[0].lower() not in hosts:
        return _plain("This address is not that of the app.", 421)
    given = scope["path"].split("/")[1] if scope["path"].startswith("/") else ""
    if not secrets.compare_digest(given.encode(), token.encode()):
        return _plain("Open the complete address that pauci app printed.", 404)
    # Browsers tell by these headers whether a post comes from a page of this server.
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    is_own = site in (None, "same-origin") and (site or origin) is not None
    is_own &= origin is None or origin.lower() == f"http://{named[0].lower()}"
    if scope["method"] not in ("GET", "HEAD") and not is_own:
        return _plain("This form was sent from another page.", 403)
    return None


def _plain(text: str, status: int) -> Response:
    return PlainTextResponse(f"{text}\n", status)


# Requests


class _Counted:
    """Receives at most a number of bytes, whatever length is declared."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive, self._most = receive, most
        self._received, self._ended = 0, False

    async def __call__(self) -> Message:
        """Receive the next part of the body; raise an error if it is too large."""
        message = await self._receive()
        self._received += len(message.get("body", b""))
        self._ended = not message.get("more_body", False)
        if self._received > self._most:
            raise HTTPException(413)
        return message

    async def drain(self) -> None:
        """Receive the rest and forget it, so that the browser reads the answer."""
        while not self._ended and self._received <= _MOST_DRAINED * self._most:
            with suppress(HTTPException):
                await self()


async def _upload(request: Request) -> Response:
    """Keep the study of an uploaded file."""
    studies, largest = request.app.state.studies, request.app.state.largest
    receive = _Counted(request.receive, largest + _FORM_AROUND)
    try:
        async with Request(request.scope, receive).form(max_files=1, max_fields=10) as form:
            file = form.get("file")
            if not isinstance(file, UploadFile) or not file.filename:
                return pages.start_page("Choose a file.", 422)
            studies.make_room(file.size or 0)
            return _opened(request, pages.study_of(file.filename, await file.read()))
    except (HTTPException, FormParserError) as error:  # of a body that is too large, or is no form
        if getattr(error, "status_code", 400) != 413:
            text = "The file was not received completely; choose it again."
            return pages.start_page(text, 400)
        await receive.drain()
        limit = f"{largest / 1e6:g} MB, the limit of an upload"
        text = f"The file is larger than {limit}. Start the app with it: pauci app FILE."
        return pages.start_page(text, 413)


async def _example(request: Request) -> Response:
    return _opened(request, Study(content_of(EXAMPLE)))


def _opened(request: Request, study: Study) -> Response:
    return RedirectResponse(f"study/{request.app.state.studies.add(study)}/", 303)


async def _study(request: Request) -> Response:
    """Return the page of a study, or a file of its results."""
    study = request.app.state.studies.get(request.path_params["key"])
    if study is None:
        text = (
            "The file of this address is no longer kept, because it was removed or too many others "
            "were chosen since. Choose it again."
        )
        return pages.start_page(text, 410, "../../")
    values, name = _values(request), request.path_params.get("name")
    if name is None:
        return await run_in_threadpool(pages.study_page, study, values)
    return await run_in_threadpool(pages.download, study, values, name)


async def _remove(request: Request) -> Response:
    request.app.state.studies.remove(request.path_params["key"])
    return RedirectResponse("../../", 303)


def _values(request: Request) -> dict[str, list[str]]:
    """Return the values of the form."""
    return {field: request.query_params.getlist(field) for field in request.query_params}


def application(
    token: str, hosts: set[str], studies: Studies, largest: int = LARGEST_UPLOAD
) -> ASGIApp:
    """Return the application: the pages, and the check of all requests.

    Parameters
    ----------
    token : str
        The first part of every path.
    hosts : set of str
        The hosts, with the port, under which the application is reached.
    studies : Studies
        The studies that are kept.
    largest : int, optional
        Largest number of bytes of an uploaded file.
    """
    inner = Starlette(
        routes=[
            Route("/", lambda _: pages.start_page()),
            Route("/style.css", lambda _: pages.stylesheet()),
            Route("/upload", _upload, methods=["POST"]),
            Route("/example", _example, methods=["POST"]),
            Route("/plan", lambda request: pages.plan_page(_values(request))),
            Route("/study/{key}/", _study),
            Route("/study/{key}/remove", _remove, methods=["POST"]),
            Route("/study/{key}/{name}", _study),
        ],
        exception_handlers=dict.fromkeys((HTTPException, ClientDisconnect, Exception), _failed),
    )
    inner.router.redirect_slashes = False
    inner.state.studies, inner.state.largest = studies, largest
    return _guarded(inner, token, hosts)


async def _failed(_: Request, error: Exception) -> Response:
    """Answer a request without a page, which nobody received, or on which the program failed."""
    status = getattr(error, "status_code", 500)
    text = "There is no such page." if status == 404 else "This request is not accepted."
    if not isinstance(error, (HTTPException, ClientDisconnect)):
        text = f"{type(error).__name__}: {error}. This is a bug in pauci; please report it."
    return _plain(text, status)


# Serving


class _Unblocked(io.TextIOBase):
    """Writes in a thread, so that a pipe that nobody reads stops no request; the rest is lost."""

    _MOST_WAITING, _LAST_SECONDS = 1000, 1.0

    def __init__(self) -> None:
        self._waiting: queue.Queue[str | None] = queue.Queue(self._MOST_WAITING)
        self._thread = threading.Thread(target=self._write, daemon=True)
        self._thread.start()

    def write(self, text: str) -> int:
        """Write a text unless too many are waiting."""
        with suppress(queue.Full):
            self._waiting.put_nowait(text)
        return len(text)

    def _write(self) -> None:
        while (text := self._waiting.get()) is not None:
            with suppress(OSError):  # and no stream of Python, whose lock would stop the exit
                os.write(2, text.encode(errors="backslashreplace"))

    def end(self) -> None:
        """Wait for what is being written, but not for ever."""
        with suppress(queue.Full):
            self._waiting.put_nowait(None)
        self._thread.join(self._LAST_SECONDS)


def listening(port: int) -> socket.socket:
    """Return a socket that listens on this computer; port 0 is any that is free."""
    if not isinstance(port, int):
        raise InputError.of("port", port, "must be a whole number, such as 8123.")
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.bind((LOOPBACK, port))
        listener.listen(64)
    except (OSError, OverflowError) as error:
        listener.close()
        reason = (getattr(error, "strerror", None) or str(error)).rstrip(".")
        problem = f"cannot be used: {reason[0].lower()}{reason[1:]}."
        advice = "Omit the port for one that is free."
        raise InputError.of("port", port, problem, hint=advice) from None
    return listener


def serve(
    file: FileContent | None, port: int, say: Callable[[str], None], *, browser: bool
) -> None:
    """Serve the page until the program is interrupted; `say` prints the address."""
    import uvicorn

    token, studies = secrets.token_urlsafe(24), Studies()
    with listening(port) as listener:
        port = listener.getsockname()[1]
        app = application(token, {f"{LOOPBACK}:{port}", f"localhost:{port}"}, studies)
        options: dict[str, Any] = {"log_level": "error", "access_log": False, "ws": "none"}
        options |= {"http": "h11", "loop": "asyncio", "server_header": False}
        address = f"http://{LOOPBACK}:{port}/{token}/"
        address += f"study/{studies.add(Study(file))}/" if file is not None else ""
        say(f"pauci app is at {address}\nPress Ctrl+C to stop it.")
        if browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        stream = _Unblocked()
        # uvicorn raises the interruption again when it has stopped
        with redirect_stdout(stream), redirect_stderr(stream), suppress(KeyboardInterrupt):
            config = uvicorn.Config(app, timeout_graceful_shutdown=2, **options)
            uvicorn.Server(config).run(sockets=[listener])
        stream.end()
