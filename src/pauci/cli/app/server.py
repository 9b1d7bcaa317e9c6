"""The server of the page, which listens on this computer only.

It receives files, keeps their studies for a time, and passes the values of the form to the
functions of `pages`. The address has a random token, without which nothing is answered; requests
under another host name and posts from other sites are refused; pages may load nothing from
elsewhere and run no scripts.
"""

import asyncio
import secrets
import socket
import threading
import time
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from python_multipart.exceptions import FormParserError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pauci.cli.app import pages
from pauci.cli.app.kept_study import Study
from pauci.errors import InputError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from pauci.files.read_table import FileContent

LOOPBACK = "127.0.0.1"

LARGEST_UPLOAD = 500 * 10**6
"""Largest number of bytes of an uploaded file."""

_MOST_DRAINED = 20
"""How many times as many bytes as accepted are received, so that the browser reads the answer."""

_FORM_AROUND = 10_000
"""Number of bytes of an upload besides the file."""

MOST_STUDIES, LONGEST_IDLE = 5, 2 * 3600.0
"""Largest number of studies that are kept, and the number of seconds without a request."""

_OWN = (
    "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

_OF_REPORT = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)

_HEADERS = {
    "Content-Security-Policy": _OWN,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Studies:
    """The studies that are kept: few, and not for long."""

    def __init__(
        self,
        most: int = MOST_STUDIES,
        longest: float = LONGEST_IDLE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most, self._longest, self._clock = most, longest, clock
        self._studies: dict[str, tuple[float, Study]] = {}

    def add(self, study: Study) -> str:
        """Keep a study and return its key."""
        key = secrets.token_urlsafe(16)
        self._studies[key] = self._clock(), study
        self.evict()
        return key

    def get(self, key: str) -> Study | None:
        """Return the study of a key unless it is no longer kept."""
        self.evict()
        if key not in self._studies:
            return None
        _, study = self._studies.pop(key)
        self._studies[key] = self._clock(), study  # the last one is the one that was used last
        return study

    def remove(self, key: str) -> None:
        """Forget a study."""
        self._studies.pop(key, None)

    def evict(self) -> None:
        """Forget studies that were not used for long, and the oldest of too many."""
        first = self._clock() - self._longest
        kept = [(key, entry) for key, entry in self._studies.items() if entry[0] >= first]
        self._studies = dict(kept[-self._most :])

    def __len__(self) -> int:
        return len(self._studies)


# Access


class Guard:
    """Refuses requests with another host, without the token, and posts from other sites."""

    def __init__(self, app: "ASGIApp", token: str, hosts: set[str]) -> None:
        self._app, self._token, self._hosts = app, token, hosts

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        prefix = f"/{self._token}"
        inner = {**scope, "root_path": prefix}
        await self._app(inner, receive, send)

    def _refusal(self, scope: "Scope") -> Response | None:
        """Return the answer to a request that is refused, or None."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return _plain("This address is not that of the app.", 421)
        token = scope["path"].split("/")[1] if scope["path"].startswith("/") else ""
        if not secrets.compare_digest(token.encode(), self._token.encode()):
            return _plain("Open the complete address that pauci app printed.", 404)
        if scope["method"] not in ("GET", "HEAD") and not _is_own(headers, hosts[0]):
            return _plain("This form was sent from another page.", 403)
        return None


def _is_own(headers: Headers, host: str) -> bool:
    """Return whether a post comes from a page of this server, as browsers tell by its headers."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if origin is not None and origin.lower() != f"http://{host.lower()}":
        return False
    if site is not None and site != "same-origin":
        return False
    return not (origin is None and site is None)


def _plain(text: str, status: int) -> Response:
    return Response(f"{text}\n", status, {**_HEADERS}, "text/plain; charset=utf-8")


# Requests


class _TooLargeError(Exception):
    """More bytes were received than are accepted."""


class _Counted:
    """Receives at most a number of bytes, whatever length is declared."""

    def __init__(self, receive: "Receive", most: int) -> None:
        self._receive, self._most = receive, most
        self._received, self._ended = 0, False

    async def __call__(self) -> "Message":
        """Receive the next part of the body; raise an error if it is too large."""
        message = await self._receive()
        self._received += len(message.get("body", b""))
        self._ended = not message.get("more_body", False)
        if self._received > self._most:
            raise _TooLargeError
        return message

    async def drain(self) -> None:
        """Receive the rest and forget it, so that the browser reads the answer."""
        while not self._ended and self._received <= _MOST_DRAINED * self._most:
            with suppress(_TooLargeError):
                await self()


class _Answers:
    """The answers to the requests that the guard passes on."""

    def __init__(self, studies: Studies, largest: int) -> None:
        self._studies, self._largest = studies, largest

    async def start(self, request: Request) -> Response:
        del request
        return _response(await run_in_threadpool(pages.start_page))

    async def style(self, request: Request) -> Response:
        del request
        return Response(pages.stylesheet(), 200, dict(_HEADERS), "text/css; charset=utf-8")

    async def upload(self, request: Request) -> Response:
        most = self._largest + _FORM_AROUND
        receive = _Counted(request.receive, most)
        try:
            async with Request(request.scope, receive).form(max_files=1, max_fields=10) as form:
                file = form.get("file")
                if not isinstance(file, UploadFile) or not file.filename:
                    return _response(pages.start_page("Choose a file.", 422))
                study = pages.study_of(file.filename, await file.read())
        except _TooLargeError:
            await receive.drain()
            text = (
                f"The file is larger than {self._largest / 1e6:g} MB, the limit of an upload. "
                "Start the app with the file, which has no limit: pauci app FILE."
            )
            return _response(pages.start_page(text, 413))
        except (HTTPException, FormParserError):  # a body that is no form
            text = "The file was not received completely; choose it again."
            return _response(pages.start_page(text, 400))
        return RedirectResponse(f"study/{self._studies.add(study)}/", 303, dict(_HEADERS))

    async def study(self, request: Request) -> Response:
        return await self._of_study(request, pages.study_page)

    async def report(self, request: Request) -> Response:
        response = await self._of_study(request, pages.report_page)
        if response.status_code == 200:
            response.headers["Content-Security-Policy"] = _OF_REPORT
        return response

    async def download(self, request: Request) -> Response:
        return await self._of_study(request, pages.download, request.path_params["name"])

    async def remove(self, request: Request) -> Response:
        self._studies.remove(request.path_params["key"])
        return RedirectResponse("../../", 303, dict(_HEADERS))

    async def _of_study(
        self, request: Request, answer: "Callable[..., pages.Reply]", *more: str
    ) -> Response:
        """Return the answer of a function of the study and the values of the form."""
        study = self._studies.get(request.path_params["key"])
        if study is None:
            text = (
                "The file of this address is no longer kept: files are forgotten after some hours, "
                "and when several others were chosen."
            )
            return _response(pages.message_page("Choose the file again", text, 410))
        query = request.query_params
        values = {name: query.getlist(name) for name in query}
        return _response(await run_in_threadpool(answer, study, values, *more))


def application(
    token: str, hosts: set[str], studies: Studies, largest: int = LARGEST_UPLOAD
) -> "ASGIApp":
    """Return the application: the guard and the pages behind it.

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

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        del app
        task = asyncio.create_task(_evict_every_minute(studies))
        yield
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    answers = _Answers(studies, largest)
    study = "/study/{key}/"
    inner = Starlette(
        routes=[
            Route("/", answers.start),
            Route("/style.css", answers.style),
            Route("/upload", answers.upload, methods=["POST"]),
            Route(study, answers.study),
            Route(f"{study}report", answers.report),
            Route(f"{study}download/{{name}}", answers.download),
            Route(f"{study}remove", answers.remove, methods=["POST"]),
        ],
        lifespan=lifespan,
        exception_handlers={HTTPException: _refused, Exception: _failed},
    )
    inner.router.redirect_slashes = False
    return Guard(inner, token, hosts)


async def _refused(request: Request, error: Exception) -> Response:
    """Answer a request without a page."""
    del request
    status = error.status_code if isinstance(error, HTTPException) else 500
    text = "There is no such page." if status == 404 else "This request is not accepted."
    return _plain(text, status)


async def _failed(request: Request, error: Exception) -> Response:
    """Answer a request on which the program failed."""
    del request
    text = f"{type(error).__name__}: {error}. This is a bug in pauci; please report it."
    return _plain(text, 500)


async def _evict_every_minute(studies: Studies) -> None:
    while True:
        await asyncio.sleep(60)
        studies.evict()


def _response(reply: "pages.Reply") -> Response:
    """Return a reply of a page as a response."""
    headers = dict(_HEADERS)
    if reply.filename is not None:
        headers["Content-Disposition"] = f'attachment; filename="{reply.filename}"'
    return Response(reply.body, reply.status, headers, reply.media_type)


# Serving


def listening(port: int) -> socket.socket:
    """Return a socket that listens on this computer; port 0 is any that is free."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.bind((LOOPBACK, port))
        listener.listen(64)
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError.of(
            "port",
            port,
            f"cannot be used: {reason[0].lower()}{reason[1:]}.",
            hint="Omit the port for one that is free.",
        ) from None
    return listener


def serve(
    file: "FileContent | None", port: int, say: Callable[[str], None], *, browser: bool
) -> None:
    """Serve the page until the program is interrupted; `say` prints the address."""
    import uvicorn

    token, studies = secrets.token_urlsafe(24), Studies()
    with listening(port) as listener:
        port = listener.getsockname()[1]
        hosts = {f"{LOOPBACK}:{port}", f"localhost:{port}"}
        config: Any = uvicorn.Config(
            application(token, hosts, studies),
            log_level="error",
            access_log=False,
            ws="none",
            http="h11",
            loop="asyncio",
            server_header=False,
            timeout_graceful_shutdown=2,
        )
        address = f"http://{LOOPBACK}:{port}/{token}/"
        if file is not None:
            address += f"study/{studies.add(Study(file))}/"
        say(f"pauci app is at {address}\nPress Ctrl+C to stop it.")
        if browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        with suppress(KeyboardInterrupt):  # which uvicorn raises again when it has stopped
            uvicorn.Server(config).run(sockets=[listener])
