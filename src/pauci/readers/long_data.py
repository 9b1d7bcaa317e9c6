"""Adapters: readings taken out of long and wide frames and of the FDA's four columns."""

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import (
    BoolArray,
    DataName,
    IntArray,
    is_pandas,
    missing_in,
    nearest,
    read_only,
    refuse_missing,
)
from pauci.errors import InputError, InputTypeError, RowNumbers, Spelled, arg, shown
from pauci.readers.origin import Origin, telling_rows
from pauci.results import format as fmt
from pauci.sample import columns

_TRUTH = ("-1", "truth")
"""What iMRMC calls the reader who knows."""


class Readings(NamedTuple):
    """Readings, one entry each, and what is known of the cases."""

    readers: tuple[str, ...]
    modalities: tuple[str, ...]
    cases: tuple[object, ...]
    reader: IntArray
    modality: IntArray
    case: IntArray
    score: Any
    score_name: str
    positive: BoolArray
    """Of every case."""
    cluster: IntArray | None
    """Of every case."""
    origin: Origin | None = None
    """Where readings stand in what was passed, if not in the same rows."""


def readings_of_frame(
    frame: Any, reader: Any, modality: Any, case: Any, label: Any, score: Any, positive: object,
    cluster: Any,
) -> Readings:  # fmt: skip
    """Return the readings in the columns of a frame, wide or long."""
    if not is_pandas(frame) or not hasattr(frame, "columns"):
        raise InputTypeError(
            f"frame is a {type(frame).__name__}; pass a pandas DataFrame with a row for each "
            "reading.",
            argument="frame",
            value=frame,
        )
    origin = None
    if isinstance(score, Mapping):
        frame, reader, modality, score, origin = _long(
            frame, reader, modality, case, label, score, cluster
        )
    with telling_rows(origin):
        readings = _readings(frame, reader, modality, case, label, score, positive, cluster)
    return readings._replace(origin=origin)


def _readings(
    frame: Any, reader: Any, modality: Any, case: Any, label: Any, score: Any, positive: object,
    cluster: Any,
) -> Readings:  # fmt: skip
    """Return the readings in the columns of a long frame."""
    named = {"reader": reader, "case": case, "label": label, "score": score}
    optional = {"modality": modality, "cluster": cluster}
    for argument, key in named.items():
        if key is None:
            if argument == "reader":
                raise InputTypeError(
                    arg("reader", None), " is for wide data, where a dict names the reader of each "
                    "column of scores: score={'column_1': 'Ann', 'column_2': 'Bob'}. Of long data "
                    "it must name a column.", value=score,
                )  # fmt: skip
            raise InputTypeError(arg(argument, None), " must name a column.")
    found = {
        argument: _column(frame, argument, key)
        for argument, key in (named | optional).items()
        if key is not None
    }
    given = [key for key in (reader, modality, case, label, score) if key is not None]
    twice = [key for key in given if given.count(key) > 1]
    if twice:
        raise InputError(
            f"the column {twice[0]!r} is named for two things among reader, modality, case, label "
            "and score; name one for each.",
            argument="score",
            value=twice[0],
        )
    if not len(frame):
        raise InputError("frame has no row; pass one for each reading.", argument="frame")
    readers, of_reader = _codes("reader", reader, found["reader"])
    modalities: tuple[str, ...] = ("all",)
    if modality is None:
        of_modality: IntArray = np.zeros(len(frame), dtype=np.int64)
    else:
        modalities, of_modality = _codes("modality", modality, found["modality"])
    cases, of_case = _ids("case", case, found["case"])
    truth = columns.labels(found["label"], positive, _named("label", label))
    _refuse_disagreement(cases, of_case, truth.astype(np.int64), found["label"], "label", "truths")
    is_positive = np.zeros(len(cases), dtype=bool)
    is_positive[of_case] = truth
    of_cluster = None
    if cluster is not None:
        _, codes = _ids("cluster", cluster, found["cluster"])
        _refuse_disagreement(cases, of_case, codes, found["cluster"], "cluster", "clusters")
        of_cluster = np.zeros(len(cases), dtype=np.int64)
        of_cluster[of_case] = codes
    return Readings(
        readers, modalities, cases, of_reader, of_modality, of_case, found["score"],
        _named("score", score), read_only(is_positive), of_cluster,
    )  # fmt: skip


def _column(frame: Any, argument: str, key: Any) -> Any:
    """Return a column of a frame, by its name."""
    if isinstance(key, (list, dict, set, np.ndarray)) or is_pandas(key):
        raise InputTypeError(
            f"{argument} is a {type(key).__name__}; name one column.", argument=argument, value=key
        )
    if key not in frame.columns:
        available = [str(c) for c in frame.columns]
        raise InputError(
            arg(argument, key),
            f" is not a column{nearest(key, available)} The columns are: {', '.join(available)}.",
        )
    values = frame[key]
    if getattr(values, "ndim", 1) != 1:
        n = values.shape[1]
        way = f"{n} columns; rename them" if n > 1 else "columns of several levels; flatten them"
        raise InputError(arg(argument, key), f" names {way}.")
    return values


def _named(argument: str, key: Any) -> DataName:
    """Return what messages call a column, and what to do where it lacks values."""
    python = f" with df = df.dropna(subset=[{key!r}])"
    mend = (
        "Rows are never dropped for you: impute them, or leave such rows out",
        shown(Spelled(python, " of the file")), "; not every reader has to read every case.",
    )  # fmt: skip
    restrict = "leave the rows with other labels out", shown(Spelled(".", " of the file."))
    return DataName(f"column {key!r}", argument, key, mend, restrict)


def _ids(argument: str, key: Any, values: Any) -> tuple[tuple[object, ...], IntArray]:
    """Return the distinct values in their order, and which each row has."""
    import pandas as pd

    refuse_missing(_named(argument, key), values)
    codes, distinct = pd.factorize(values)
    return tuple(distinct.tolist()), codes.astype(np.int64)


def name_of(value: object) -> str:
    """Return the name of a reader or modality; a whole number has no point, whatever its type."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _codes(argument: str, key: Any, values: Any) -> tuple[tuple[str, ...], IntArray]:
    """Return the names of readers or modalities, and which each row has."""
    distinct, codes = _ids(argument, key, values)
    names = tuple(name_of(v) for v in distinct)
    plural = {"modality": "modalities"}.get(argument, f"{argument}s")
    for i, name in enumerate(names):
        alike = [j for j in range(i) if names[j].strip().casefold() == name.strip().casefold()]
        if alike:
            raise InputError(
                f"column {key!r} has the {plural} {distinct[alike[0]]!r} and {distinct[i]!r}, "
                f"which differ in capitals, blanks or type only. Spell each {argument} in one way.",
                argument=argument,
                value=distinct[i],
            )
    return names, codes


def _refuse_disagreement(
    cases: Sequence[object], of_case: IntArray, codes: IntArray, values: Any, argument: str,
    noun: str,
) -> None:  # fmt: skip
    """Refuse cases whose rows differ in what belongs to the case."""
    first = np.empty(len(cases), dtype=np.int64)
    first[of_case[::-1]] = codes[::-1]
    odd = np.flatnonzero(codes != first[of_case])
    if not odd.size:
        return
    case = of_case[odd[0]]
    rows = np.flatnonzero(of_case == case)
    other = rows[codes[rows] != codes[odd[0]]][0]
    found = np.asarray(values, dtype=object)
    raise InputError(
        f"case {cases[case]!r} has two {noun}, {found[other]!r} and {found[odd[0]]!r} (",
        RowNumbers((int(other), int(odd[0]))),
        "). It is one case wherever it is read; if different cases share this name, make one of "
        "both, such as reader and case, for ",
        arg("case"),
        ".",
        argument=argument,
        value=cases[case],
    )


def _long(
    frame: Any, reader: Any, modality: Any, case: Any, label: Any, score: Mapping[Any, Any],
    cluster: Any,
) -> tuple[Any, str, str, str, Origin]:  # fmt: skip
    """Return wide data with a row for each reading; cells without a score were not read."""
    import pandas as pd

    if not score:
        raise InputError("score={} names no column; pass {'column': reader}.", argument="score")
    for argument, key in (("case", case), ("label", label)):
        if key is None:
            raise InputTypeError(arg(argument, None), " must name a column.")
        refuse_missing(_named(argument, key), _column(frame, argument, key))
    beside = {a: k for a, k in (("reader", reader), ("modality", modality)) if k is not None}
    if len(beside) == 2 and set(beside.values()) <= set(frame.columns):
        raise InputError(
            "score is a dict, which says who or what each column is, and so do the columns of "
            "reader and modality; pass None for the one that score says.",
            argument="score",
            value=score,
        )
    # The defaults name columns of long data; wide data need not have them.
    beside = {a: k for a, k in beside.items() if k in frame.columns or k != a}
    for argument, key in beside.items():
        _column(frame, argument, key)
    if cluster is not None:
        refuse_missing(_named("cluster", cluster), _column(frame, "cluster", cluster))
    parts, rows = [], []
    kept = {case, label, cluster, *beside.values()} - {None}
    for column, what in score.items():
        if column in kept:
            raise InputError(
                f"score names the column {column!r}, which holds something else already; name one "
                "for each.",
                argument="score",
                value=column,
            )
        values = _column(frame, "score", column)
        who = what if isinstance(what, tuple) else (what,)
        unsaid = [a for a in ("reader", "modality") if a not in beside][: max(len(who), 1)]
        if len(who) != len(unsaid) or any(v is None for v in who):
            need = " and ".join(a for a in ("reader", "modality") if a not in beside)
            raise InputError(
                f"score[{column!r}] is {what!r}, and must be the {need} of that column.",
                argument="score",
                value=what,
            )
        part = frame[[c for c in frame.columns if c in kept]].copy()
        for a, v in zip(unsaid, who, strict=True):
            part[("said", a)] = name_of(v)
        for a, k in beside.items():
            part[("said", a)] = frame[k]
        if not any(c == ("said", "modality") for c in part.columns):
            part[("said", "modality")] = "all"
        part[("said", "score")] = values
        missing = missing_in(values)
        read = np.flatnonzero(~missing) if missing.size else np.arange(len(frame))
        parts.append(part.iloc[read])
        rows.append(read)
    long = pd.concat(parts, ignore_index=True)
    said = {("said", a): f"{a} (of score)" for a in ("reader", "modality", "score")}
    long.columns = [said.get(c, c) for c in long.columns.tolist()]
    names = said.values()
    return long, *names, Origin(np.concatenate(rows))


def readings_of_imrmc(source: Any) -> Readings:
    """Return the readings in iMRMC's four columns, whose truth is in rows of its own."""
    import pandas as pd

    lines: IntArray | None = None
    if isinstance(source, (str, os.PathLike)):
        table, lines = _imrmc_file(source)
    elif is_pandas(source) and hasattr(source, "columns"):
        table = source
    else:
        raise InputTypeError(
            f"source is a {type(source).__name__}; pass a path or a DataFrame of four columns.",
            argument="source",
            value=source,
        )
    if table.shape[1] != 4:
        raise InputError(
            f"source has {table.shape[1]} columns, and iMRMC's data have four: reader, case, "
            "modality, score.",
            argument="source",
        )
    table = table.set_axis(["reader", "case", "modality", "score"], axis=1).reset_index(drop=True)
    names = table["reader"].astype(str).str.strip()
    is_truth = names.str.lower().isin(_TRUTH).to_numpy()
    if not is_truth.any():
        raise InputError(
            "source has no row of the truth, whose reader is -1 or 'truth'.", argument="source"
        )
    cases = table["case"].astype(str).str.strip()
    truth = pd.to_numeric(table["score"][is_truth], errors="coerce")
    bad = np.flatnonzero(~truth.isin([0, 1]).to_numpy())
    if bad.size:
        raise InputError(
            f"the truth of case {cases[is_truth].iloc[bad[0]]!r} is "
            f"{table['score'][is_truth].tolist()[bad[0]]!r}; it must be 0 or 1.",
            argument="source",
        )
    known = pd.DataFrame({"case": cases[is_truth], "truth": truth.astype(int)}).drop_duplicates()
    again = known["case"].duplicated().to_numpy()
    if again.any():
        raise InputError(
            f"case {known['case'].tolist()[int(np.flatnonzero(again)[0])]!r} has two truths, 0 and "
            "1.",
            argument="source",
        )
    modalities = table["modality"].astype(str).str.strip()
    every = {"reader": names, "modality": modalities, "case": cases, "score": table["score"]}
    readings = pd.DataFrame(every)[~is_truth].reset_index(drop=True)
    readings["label"] = readings["case"].map(known.set_index("case")["truth"])
    lacking = np.flatnonzero(readings["label"].isna().to_numpy())
    if lacking.size:
        i = int(lacking[0])
        raise InputError(
            f"case {readings['case'][i]!r}, read by reader {readings['reader'][i]!r} in modality "
            f"{readings['modality'][i]!r}, has no row of its truth.",
            argument="source",
        )
    readings["label"] = readings["label"].astype(int)
    if readings["score"].dtype == object:
        readings["score"] = readings["score"].infer_objects()
    rows = np.flatnonzero(~is_truth)
    origin = Origin(rows) if lines is None else Origin(lines[rows], "line")
    with telling_rows(origin):
        found = _readings(readings, "reader", "modality", "case", "label", "score", None, None)
    return found._replace(origin=origin)


def _imrmc_file(path: "str | os.PathLike[str]") -> tuple[Any, IntArray]:
    """Return the four columns of a file, whose numbers start after a line of its own; and lines."""
    import pandas as pd

    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(arg("source", str(path)), f" cannot be read: {reason}.") from None
    marks = [i for i, line in enumerate(lines) if line.strip().upper().startswith("BEGIN DATA")]
    start = marks[0] + 1 if marks else 0
    rows, numbers = [], []
    for number, line in enumerate(lines[start:], start + 1):
        if not line.strip(" ,\t"):
            continue
        fields = [field.strip().strip('"') for field in line.split(",")]
        if len(fields) != 4:
            raise InputError(
                f"line {number} of {str(path)!r} has {fmt.count(len(fields), 'field')}, and "
                "iMRMC's data have four, with commas between them: reader, case, modality, score.",
                argument="source",
                value=str(path),
            )
        rows.append(fields)
        numbers.append(number)
    if rows and not marks and not _is_number(rows[0][3]):
        rows, numbers = rows[1:], numbers[1:]  # the names of the columns
    for number, fields in zip(numbers, rows, strict=True):
        if not _is_number(fields[3]):
            raise InputError(
                f"line {number} of {str(path)!r} has the score {fields[3]!r} of reader "
                f"{fields[0]!r}, case {fields[1]!r}, modality {fields[2]!r}, which is no number.",
                argument="source",
                value=str(path),
            )
    table = pd.DataFrame(rows, columns=["reader", "case", "modality", "score"])
    # pd.to_numeric is off in the last digit with some versions of pandas.
    table["score"] = [float(text) for text in table["score"]]
    return table, np.array(numbers, dtype=np.int64)


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
