"""The processes that a test has started."""

from pathlib import Path


def session(leader):
    """Return the processes of a session."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == leader and fields[0] != "Z":
            found.append(path.parent.name)
    return found
