"""Store the results of all calls, or check them.

Usage: python tests/frozen/make.py [--check] [--to FILE] [VERB ...]

Without options all calls are run and `numbers.json.gz` is written. Do this only if results are
intended to change, and state the reason in the commit. With --check the calls (all, or those of the
given functions) are run and compared with the stored results, and differences are printed by
function; the exit status is 1 if there are any.
"""

import argparse
import collections
import gzip
import importlib.metadata
import json
import platform
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
FILE = HERE / "numbers.json.gz"
SHOWN = 8
"""Differences that are shown of each verb."""

if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))

import calls  # noqa: E402
from records import differences  # noqa: E402


def versions():
    """Return the versions on which results may depend."""
    names = ("numpy", "scipy", "pandas", "statsmodels", "numba", "narwhals", "polars", "duckdb")
    found = {name: importlib.metadata.version(name) for name in names}
    return {"python": platform.python_version(), **found}


def commit():
    """Return the last commit of the sources, marked if they have been changed since."""
    root = HERE.parents[1]
    last = ["git", "log", "-1", "--format=%H", "--", "src"]
    changed = ["git", "status", "--porcelain", "--", "src"]
    found, more = (
        subprocess.run(c, cwd=root, capture_output=True, text=True, check=True).stdout.strip()
        for c in (last, changed)
    )
    return f"{found} and changes" if more else found


def write(path, records):
    """Write records by number; the file depends only on the records."""
    lists = []
    lines = []
    for number, record in records.items():
        columns = {}
        for name, names in record["columns"].items():
            if names not in lists:
                lists.append(names)
            columns[name] = lists.index(names)
        lines.append(json.dumps({"call": number, **record, "columns": columns}))
    head = {"commit": commit(), "versions": versions(), "columns": lists}
    text = "\n".join([json.dumps(head), *lines]) + "\n"
    path.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))


def read(path=FILE):
    """Return the head of the file and its records by number."""
    head, *lines = map(json.loads, gzip.decompress(path.read_bytes()).decode().splitlines())
    records = {}
    for record in lines:
        columns = record["columns"]
        record["columns"] = {name: head["columns"][i] for name, i in columns.items()}
        records[record.pop("call")] = record
    return head, records


def check(numbers):
    """Compare calls with their stored results; return descriptions of differences by function."""
    _, frozen = read()
    found = collections.defaultdict(list)
    for number in numbers:
        new = calls.run(number)
        if number not in frozen:
            found[calls.verb_of(number)].append(f"{number} is not frozen")
            continue
        changes = differences(frozen[number], new, calls.tolerance_of(number))
        found[calls.verb_of(number)] += [f"{number} ({new['words']}): {words}" for words in changes]
    return {verb: words for verb, words in found.items() if words}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("verbs", nargs="*", metavar="VERB")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--to", type=Path, default=FILE, metavar="FILE")
    options = parser.parse_args()
    known = [name for name, _, _ in calls.VERBS]
    if unknown := set(options.verbs) - {*known}:
        parser.error(f"no verbs: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    if options.verbs and not options.check:
        parser.error("all verbs are frozen together; name some with --check only")
    wanted = [n for n in calls.numbers() if calls.verb_of(n) in (options.verbs or known)]
    start = time.perf_counter()
    if not options.check:
        records = {n: calls.run(n) for n in wanted}
        write(options.to, records)
        for name in known:
            own = [r for n, r in records.items() if calls.verb_of(n) == name]
            refused = sum(r["refused"] is not None for r in own)
            values = sum(len(r["values"]) for r in own)
            print(f"{name:20} {len(own):5} calls, {refused:3} refused, {values:6} values")
        size = options.to.stat().st_size
        print(f"{len(wanted)} calls in {time.perf_counter() - start:.0f} s, {size:,} bytes")
        return 0
    found = check(wanted)
    for verb, words in found.items():
        print(f"{verb}: {len(words)} differences")
        print("".join(f"  {w}\n" for w in words[:SHOWN]), end="")
    head, _ = read()
    if found and head["versions"] != versions():
        print(f"frozen with {head['versions']}, now {versions()}")
    print(
        f"{len(wanted)} calls in {time.perf_counter() - start:.0f} s: "
        f"{'the same numbers' if not found else 'other numbers'}"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
