"""The server: access, uploads, and the studies that it keeps."""

import asyncio
import contextlib
import re
import signal
import socket
import struct
import subprocess
import sys
import warnings

import pytest

import pauci
from html_page import tree_of, words_of
from pauci.cli import app as server
from pauci.cli import run
from pauci.cli.app import pages
from pauci.errors import InputError
from pauci.files.memory_limit import FileContent

with warnings.catch_warnings(action="ignore"):  # of a newer Starlette with httpx
    from starlette import testclient

TOKEN, HOST = "token-of-the-test", "127.0.0.1:8123"
ORIGIN = {"origin": f"http://{HOST}"}
CSV = pauci.datasets.load_ljubljana_scores().to_csv(index=False).encode()
LARGEST = 100_000


@pytest.fixture
def studies():
    return server.Studies()


@pytest.fixture
def client(studies):
    application = server.application(TOKEN, {HOST, "localhost:8123"}, studies, LARGEST)
    return testclient.TestClient(application, f"http://{HOST}", follow_redirects=False)


def upload(client, content=CSV, name="scores.csv", headers=ORIGIN):
    files = {"file": (name, content)}
    return client.post(f"/{TOKEN}/upload", files=files, headers=headers)


def uploaded(client, **options):
    """Return the address of the study of a file."""
    answer = upload(client, **options)
    assert answer.status_code == 303
    return f"/{TOKEN}/{answer.headers['location']}"


QUERY = "?label=recurrence&positive=1&scores=svm&measures=auc&show=1"


def test_a_study_is_planned_without_a_file(client):
    (link,) = [a.attrib["href"] for a in tree_of(client.get(f"/{TOKEN}/").text).findall(".//p/a")]
    page = f"/{TOKEN}/{link}"
    assert client.get(page).status_code == 200
    assert "147 positives" in client.get(f"{page}?auc=0.8&width=0.1&measures=auc&show=1").text
    assert client.get(f"{page}?show=1").status_code == 422


def test_from_upload_to_results(client):
    study = uploaded(client)
    assert "recurrence" in client.get(study).text
    assert "0.670" in client.get(study + QUERY).text
    assert client.get(f"{study}curve.svg{QUERY}").headers["content-type"] == "image/svg+xml"
    document = client.get(f"{study}results.docx{QUERY}")
    stated = document.headers["content-disposition"]
    assert stated == 'attachment; filename="scores-results.docx"'
    assert client.post(f"{study}remove", headers=ORIGIN).status_code == 303
    gone = client.get(study)
    assert gone.status_code == 410
    assert tree_of(gone.text).find(".//input[@type='file']") is not None
    assert "Choose it again" in gone.text


def test_example_data_are_one_click(client):
    answer = client.post(f"/{TOKEN}/example", headers=ORIGIN)
    assert (
        "The area under the ROC curve" in client.get(f"/{TOKEN}/{answer.headers['location']}").text
    )


@pytest.mark.parametrize(
    "path", ["/", "/other/", f"/{TOKEN}x/", f"/x{TOKEN}/", f"//{TOKEN}/", "/é/"]
)
def test_nothing_is_answered_without_the_token(client, path):
    answer = client.get(path)
    assert answer.status_code == 404
    assert "html" not in answer.headers["content-type"]
    assert (
        client.post(f"{path}upload", files={"file": ("a", CSV)}, headers=ORIGIN).status_code == 404
    )


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8123", "127.0.0.1", "127.0.0.1:80", "0.0.0.0:8123", ""]
)
def test_foreign_hosts_are_refused(client, host):
    assert client.get(f"/{TOKEN}/", headers={"host": host}).status_code == 421


def test_this_computer_by_name_is_accepted(client):
    assert client.get(f"/{TOKEN}/", headers={"host": "localhost:8123"}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": f"https://{HOST}"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site", **ORIGIN},
        {"sec-fetch-site": "same-origin", "origin": "http://evil.example"},
    ],
)
def test_posts_of_other_sites_are_refused(client, studies, headers):
    assert upload(client, headers=headers).status_code == 403
    assert not len(studies)
    study = uploaded(client)
    assert client.post(f"{study}remove", headers=headers).status_code == 403
    assert len(studies) == 1


@pytest.mark.parametrize("headers", [ORIGIN, {"sec-fetch-site": "same-origin"}])
def test_own_posts_are_accepted(client, headers):
    assert upload(client, headers=headers).status_code == 303


@pytest.mark.parametrize(
    "path",
    [
        "../etc/passwd",
        "%2e%2e/%2e%2e/etc/passwd",
        "study/../../etc/passwd",
        "style.css/../../pages.py",
        "study/x/..%2f..%2fetc%2fpasswd",
        "page.py",
        "study",
        "study/",
        "upload",
    ],
)
def test_path_walks_are_refused(client, path):
    answer = client.get(f"/{TOKEN}/{path}")
    assert answer.status_code in (404, 405, 410)
    assert "root:" not in answer.text
    assert "import" not in answer.text


def test_downloads_of_other_names_are_refused(client):
    study = uploaded(client)
    for name in ("passwd", "..%2f..%2fetc%2fpasswd", "results.exe", "curve.", "curve.pdf"):
        assert client.get(f"{study}{name}{QUERY}").status_code == 404


def test_every_answer_has_the_policy(client):
    study = uploaded(client)
    answers = [
        client.get(f"/{TOKEN}/"),
        client.get(f"/{TOKEN}/style.css"),
        client.get(f"/{TOKEN}/nothing"),
        client.get("/"),
        client.get(study),
        client.get(study + QUERY),
        client.get(f"{study}curve.svg{QUERY}"),
        client.get(f"{study}analysis.py{QUERY}"),
        client.get(f"/{TOKEN}/study/none/"),
        client.post(f"{study}remove", headers=ORIGIN),
        upload(client, headers={}),
        client.get("/", headers={"host": "evil.example"}),
    ]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none';")
        assert "script" not in policy
        assert "http" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert not answer.headers.get("set-cookie")
    assert "<script" not in answers[5].text


def parts_of(content, boundary=b"limit"):
    head = b"--" + boundary + b'\r\nContent-Disposition: form-data; name="file"; filename="a.csv"'
    return head + b"\r\n\r\n" + content + b"\r\n--" + boundary + b"--\r\n"


def test_uploads_are_counted_without_a_length(client, studies):
    """A body that is sent in chunks has no length."""
    sent = parts_of(b"x" * 3 * LARGEST)
    chunks = (sent[i : i + 4096] for i in range(0, len(sent), 4096))
    headers = {**ORIGIN, "content-type": "multipart/form-data; boundary=limit"}
    answer = client.post(f"/{TOKEN}/upload", content=chunks, headers=headers)
    assert "content-length" not in answer.request.headers
    assert answer.status_code == 413
    box = tree_of(answer.text).find(".//div[@role='alert']")
    assert "The file is larger than 0.1 MB" in words_of(box)
    assert not len(studies)


def test_uploads_with_a_length_are_counted(client):
    answer = upload(client, content=b"x" * (2 * LARGEST))
    assert answer.status_code == 413
    assert upload(client, content=b"y,s\n" + b"1,2\n" * (LARGEST // 4 - 1)).status_code == 303


def test_what_is_received_is_limited():
    """A body without an end is not received for ever."""
    received = 0

    async def receive():
        nonlocal received
        received += 1
        return {"type": "http.request", "body": b"x" * 1000, "more_body": True}

    asyncio.run(server._Counted(receive, 1000).drain())
    assert received == 21


@pytest.mark.parametrize(
    ("content", "type_"),
    [
        (b"", "multipart/form-data; boundary=limit"),
        (b"no form", "multipart/form-data; boundary=limit"),
        (b"no form", "multipart/form-data"),
        (b"file=a", "application/x-www-form-urlencoded"),
        (parts_of(b"x").replace(b'"a.csv"', b'""'), "multipart/form-data; boundary=limit"),
        (
            parts_of(b"x").replace(b"; filename=", b"; title="),
            "multipart/form-data; boundary=limit",
        ),
    ],
)
def test_uploads_without_a_file(client, content, type_):
    headers = {**ORIGIN, "content-type": type_}
    answer = client.post(f"/{TOKEN}/upload", content=content, headers=headers)
    assert answer.status_code in (400, 422)
    assert tree_of(answer.text).find(".//div[@role='alert']") is not None


def test_names_of_uploads_are_not_paths(client):
    answer = client.get(uploaded(client, name="../../<b>evil\"'.csv"))
    assert "../" not in answer.text.replace("../../style.css", "")
    assert tree_of(answer.text).find(".//b") is None


def test_the_studies_that_were_used_last_are_kept():
    studies = server.Studies(3, 2 * len(CSV) + 10)
    study = pages.study_of("a.csv", CSV)
    small = pages.study_of("b.csv", b"y,s")
    first, second, third = studies.add(study), studies.add(study), studies.add(small)
    assert studies.get(first) is study  # now the one that was used last
    fourth = studies.add(small)
    assert studies.get(second) is None
    assert None not in [studies.get(key) for key in (first, third, fourth)]
    studies.remove(third)
    fifth, sixth = studies.add(study), studies.add(study)  # which are too large together
    assert studies.get(first) is None
    assert (studies.get(fifth), studies.get(sixth)) == (study, study)
    large = studies.add(pages.study_of("c.csv", CSV * 3))
    assert len(studies) == 1
    assert studies.get(large) is not None
    assert min(map(len, (first, second))) > 20


def test_listening_on_this_computer_only():
    with server.listening(0) as listener:
        host, port = listener.getsockname()
        assert host == "127.0.0.1"
        with socket.create_connection((host, port), timeout=5):  # before anything is served
            pass
        with pytest.raises(InputError, match="cannot be used"):
            server.listening(port)
    for port in (-1, 70_000, "abc", 2.5):
        with pytest.raises(InputError, match="port"):
            server.listening(port)


def test_the_port_is_that_of_the_command(monkeypatch):
    ports = []
    monkeypatch.setattr(server, "serve", lambda _, port, *__, **___: ports.append(port))
    assert run(["app", "--no-browser", "--port", "8123"]) == run(["app", "--no-browser"]) == 0
    assert ports == [8123, 0]


def test_the_token_is_random(monkeypatch):
    printed = []

    class Stopped:
        def __init__(self, config):
            assert config.host != "0.0.0.0"
            assert (config.ws, config.access_log) == ("none", False)

        def run(self, sockets):
            sockets[0].getsockname()  # it listens already

    monkeypatch.setattr("uvicorn.Server", Stopped)
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    for file in (None, FileContent("a.csv", CSV)):
        server.serve(file, 0, printed.append, browser=False)
        server.serve(file, 0, printed.append, browser=False)
    addresses = [text.split()[4] for text in printed]
    tokens = [re.fullmatch(r"http://127\.0\.0\.1:\d+/([\w-]{32})/.*", a)[1] for a in addresses]
    assert len(set(tokens)) == 4
    assert "/study/" in addresses[2]
    assert not opened


CODE = "import sys; from pauci.cli import run; sys.exit(run(sys.argv[1:]))"


def test_missing_packages_and_files():
    blocked = f"import sys; sys.modules['uvicorn'] = None; sys.modules['starlette'] = None; {CODE}"
    command = [sys.executable, "-c", blocked, "app", "--no-browser"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "the app requires starlette," in done.stderr
    assert "[app]" in done.stderr
    absent = [sys.executable, "-c", CODE, "app", "absent.csv", "--no-browser"]
    done = subprocess.run(absent, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "does not exist" in done.stderr


@contextlib.contextmanager
def started(preparation=""):
    """Run the app in a process whose output is read only for the address, and when it has ended."""
    handler = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)"
    code = "\n".join([handler, preparation, CODE])  # shells ignore SIGINT in the background
    command = [sys.executable, "-c", code, "app", "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield process, process.stdout.readline().split()[-1]
    finally:
        process.kill()
        process.communicate()


def request_to(address, head, body=b""):
    """Return a connection to which a request was sent."""
    host, path = re.fullmatch(r"http://([^/]+)(/.*)", address).groups()
    connection = socket.create_connection(tuple(host.split(":")), timeout=20)
    lines = [f"{head.format(path)} HTTP/1.1", f"Host: {host}", f"Origin: http://{host}"]
    lines += ["Content-Type: multipart/form-data; boundary=limit", "Connection: close"]
    lines += [f"Content-Length: {10**6}"] * bool(body)
    connection.sendall("\r\n".join([*lines, "", ""]).encode() + body)
    return connection


def status_of(connection):
    with connection, connection.makefile("rb") as answer:
        return int(answer.read().split()[1])


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="ends the process by SIGINT")
def test_an_upload_that_the_browser_ends_prints_nothing():
    with started() as (process, address):
        for body in (b"--limit", parts_of(b"y,s\n1,2\n")[:-20], parts_of(CSV)[:2000]):
            request_to(address, "POST {}upload", body).close()
        large = request_to(address, "POST {}upload", parts_of(b"x" * 10)[:-20])
        large.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        large.close()  # by a reset
        assert status_of(request_to(address, "GET {}")) == 200
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=20)[1] == ""


@pytest.mark.long
def test_a_server_whose_output_nobody_reads_answers():
    failing = "from pauci.cli.app import pages; pages.start_page = None"
    with started(failing) as (process, address):
        for _ in range(60):  # each prints a traceback of some 3 kB; a pipe holds 64 kB
            assert status_of(request_to(address, "GET {}")) == 500
        if sys.platform != "win32":
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=20) == 0
        process.kill()
        assert "Traceback" in process.communicate(timeout=20)[1]
