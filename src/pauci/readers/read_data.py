"""Readings of a study from long and wide data frames, and from data of iMRMC."""

import math
import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pauci.checks import (
    BoolArray,
    IntArray,
    is_pandas,
    nearest,
    objects_of,
    read_only,
    some_of,
    wrong_type,
)
from pauci.errors import (
    DataName,
    DoubtfulDataWarning,
    InputError,
    InputTypeError,
    install_advice,
    warn,
)
from pauci.sample import columns, weights
from pauci.sample.class_rows import ClassRows, classes_of_labels
from pauci.sample.frame_columns import column_of, lines_of, original_row_numbers
from pauci.sample.marks import (
    FigureRows,
    Marks,
    Places,
    check_frames,
    read_marks,
    rows_of_marks,
    with_read_cases,
)
from pauci.sample.rows import Rows
from pauci.sample.vectors import missing_entries, refuse_missing
from pauci.tables import number_format as fmt

if TYPE_CHECKING:
    import pandas as pd


_TRUTH = ("-1", "truth")
"""Names of the reader in rows of iMRMC that contain the truth of a case."""


_EXTRAS = ("cluster", "weight")
"""Arguments whose columns need not exist, and may be those of other arguments."""


Origin = tuple[IntArray, str]
"""The row of a frame, or line of a file, of each reading, and whether it is a row or a line."""


def naming_rows_of(origin: Origin | None) -> AbstractContextManager[None]:
    """Report the row numbers of the data of the user in messages, if these differ."""
    return original_row_numbers(*(origin or (None,)))


class Readings(NamedTuple):
    """Readings with their readers, modalities and cases, and the truth of each case."""

    readers: tuple[str, ...]
    modalities: tuple[str, ...]
    cases: tuple[object, ...]
    reader: IntArray
    modality: IntArray
    case: IntArray
    score: Any
    """The columns of scores; several for scores of several classes."""
    score_name: str
    rows: Rows
    """The cases, with their labels, weights and clusters, or the rows of marks with places."""
    origin: Origin | None = None
    """The rows of the readings in the data of the user, if these differ."""
    dropped: int = 0
    """Number of rows dropped for missing values."""
    rest: str = ""
    """The figure of merit of the marks in words."""

    def place(self, row: int) -> tuple[str, str, object]:
        """Return the reader, the modality and the case of a reading."""
        cell = self.readers[self.reader[row]], self.modalities[self.modality[row]]
        return *cell, self.cases[self.case[row]]


Keys = dict[str, Any]
"""The column of each argument: reader, modality, case, label, score, cluster and weight."""


def readings_of_frame(
    frame: Any, keys: Keys, positive: object, *, drop_missing: bool = False, classes: Any = None
) -> Readings:
    """Return the readings in the columns of a frame, wide or long."""
    if not is_pandas(frame) or not hasattr(frame, "columns"):
        raise wrong_type("frame", frame, "a pandas DataFrame with a row for each reading")
    lines, noun = lines_of(frame)
    origin = None if lines is None else (lines, str(noun))
    dropped, wide = 0, isinstance(keys["score"], Mapping)
    if drop_missing:
        named = [k for a, k in keys.items() if a != "score" or not wide]
        # The positions of the rows without a missing value in some columns.
        missing: BoolArray = np.zeros(len(frame), dtype=bool)
        for column in (c for c in frame.columns if c in _flat(named)):
            of_column = missing_entries(frame[column])
            if of_column.size == missing.size:  # a column that occurs twice is refused later
                missing |= of_column
        complete = np.flatnonzero(~missing)
        if not complete.size:
            raise InputError.about("frame", "has a missing value in every row.")
        dropped = len(frame) - complete.size
        frame = frame.iloc[complete]
        origin = (complete, "row") if origin is None else (origin[0][complete], origin[1])
    if wide:
        frame, keys, of_wide = _long_from_wide(frame, keys)
        origin = of_wide if origin is None else (origin[0][of_wide[0]], origin[1])
    with naming_rows_of(origin):
        readings = _readings(frame, keys, positive, classes)
    return readings._replace(origin=origin, dropped=dropped)


def _readings(frame: Any, keys: Keys, positive: object, classes: Any = None) -> Readings:
    """Return the readings in the columns of a long frame."""
    data = _columns_of(frame, keys)
    readers, of_reader = _names_and_codes("reader", keys["reader"], data["reader"])
    modalities, of_modality = _modalities(keys["modality"], data.get("modality"), len(frame))
    cases, of_case = _distinct("case", keys["case"], data["case"])
    name = _data_name("label", keys["label"])
    labels_of_classes: tuple[Any, ...] = ()
    if classes is None:
        truth = columns.two_labels(data["label"], positive, name).astype(np.int64)
    else:
        truth, labels_of_classes, _ = classes_of_labels(data["label"], classes, name=name)
    if len(data["score"]) not in (1, len(labels_of_classes)):
        problem = f"has {len(data['score'])} columns; pass one, or with classes= one for each "
        problem += "class."
        raise InputError.of("score", keys["score"], problem)

    def by_case(argument: str, codes: IntArray) -> IntArray:
        return _by_case(cases, of_case, codes, data[argument], argument)

    class_of = by_case("label", truth)
    is_positive = read_only(class_of == max(len(labels_of_classes) - 1, 1))
    rows = Rows(is_positive, None, None, None, "cohort")
    if "cluster" in data:
        labels, codes = _distinct("cluster", keys["cluster"], data["cluster"])
        codes = by_case("cluster", codes)
        rows = replace(rows, cluster=codes, cluster_labels=objects_of(labels))
    if "weight" in data:
        values, codes = _distinct("weight", keys["weight"], data["weight"])
        numbers = objects_of(values)[by_case("weight", codes)]
        named = f"weight={keys['weight']!r}"
        rows = replace(rows, weight=weights.weight(numbers, len(cases), named))
        weights.warn_if_probabilities(numbers, rows.positive, rows.cluster, named)
    if labels_of_classes:
        rows = ClassRows.of(rows, class_of, labels_of_classes, ordered=True)
    return Readings(
        readers,
        modalities,
        cases,
        of_reader,
        of_modality,
        of_case,
        data["score"],
        _data_name("score", keys["score"]),
        rows,
    )


def _columns_of(frame: Any, keys: Keys) -> dict[str, Any]:
    """Return the columns of a long frame by argument; each argument must name a column."""
    if keys["reader"] is None:
        problem = "requires wide data, with a dict of the reader of each column of scores: "
        problem += "score={'column_1': 'Ann', 'column_2': 'Bob'}. For long data it must name a "
        problem += "column."
        raise InputTypeError.of("reader", keys["score"], problem, shown="None")
    for argument in ("case", "label", "score"):
        if keys[argument] is None:
            raise InputTypeError.of(argument, None, "must name a column.")
    data = {
        argument: column_of(frame, argument, keys[argument])
        for argument in ("reader", "case", "label", "modality", *_EXTRAS)
        if keys[argument] is not None
    }
    data["score"] = [column_of(frame, "score", key) for key in _flat([keys["score"]])]
    used = _flat([k for a, k in keys.items() if k is not None and a not in _EXTRAS])
    repeated = [key for key in used if used.count(key) > 1]
    if repeated:
        problem = f"the column {repeated[0]!r} is used for two of reader, modality, case, label "
        problem += "and score; specify a column for each."
        raise InputError(problem, argument="score", value=repeated[0])
    if not len(frame):
        raise InputError.about("frame", "has no rows; it must have one for each reading.")
    return data


def _flat(keys: Sequence[Any]) -> list[Any]:
    """Return columns in one list; the scores of several classes are a list of columns."""
    return [c for key in keys for c in (key if isinstance(key, (list, tuple)) else [key])]


def _data_name(argument: str, key: Any) -> DataName:
    """Return the name of a column in messages, with the advice about missing values and labels."""
    advice = "Rows are never dropped silently: impute them, or leave such rows out"
    incomplete = "not every reader has to read every case."
    missing_advice = f"{advice} with drop_missing=True; {incomplete}"
    label_advice = "leave the rows with other labels out."
    return DataName(f"column {key!r}", argument, key, missing_advice, label_advice)


def _distinct(argument: str, key: Any, values: Any) -> tuple[tuple[object, ...], IntArray]:
    """Return the distinct values in order of occurrence, and their number for each row."""
    import pandas as pd

    refuse_missing(_data_name(argument, key), values)
    codes, distinct = pd.factorize(values)
    return tuple(distinct.tolist()), codes.astype(np.int64)


def name_of(value: object) -> str:
    """Return the name of a reader or modality; whole numbers are written without a point."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def checked_pair(pair: Any, names: Sequence[str]) -> tuple[str, str]:
    """Return the names of two different modalities; raise an error for anything else."""
    if not isinstance(pair, (list, tuple)) or len(pair) != 2:
        raise InputTypeError.of("pair", pair, "must name two modalities, such as ('a', 'b').")
    first, second = (name_of(name) for name in pair)
    for name in (first, second):
        if name not in names:
            problem = f": {name!r} is not a modality{nearest(name, names)} There are: "
            raise InputError.of("pair", pair, f"{problem}{some_of(names, name)}.")
    if first == second:
        raise InputError.of("pair", pair, "names a modality twice.")
    return first, second


def _names_and_codes(argument: str, key: Any, values: Any) -> tuple[tuple[str, ...], IntArray]:
    """Return the names of readers or modalities, and their number for each row."""
    distinct, codes = _distinct(argument, key, values)
    names = tuple(name_of(v) for v in distinct)
    plural = {"modality": "modalities"}.get(argument, f"{argument}s")
    known: dict[str, object] = {}
    for name, value in zip(names, distinct, strict=True):
        other = known.setdefault(name.strip().casefold(), value)
        if other is not value:
            problem = f"column {key!r} has the {plural} {other!r} and {value!r}, which differ only "
            problem += f"in case, blanks or type. Use one spelling for each {argument}."
            raise InputError(problem, argument=argument, value=value)
    return names, codes


def _modalities(key: Any, values: Any, n: int) -> tuple[tuple[str, ...], IntArray]:
    """Return the names of the modalities, and their number for each of n rows.

    Their order does not depend on that of the rows: it is the order of the categories of a pandas
    Categorical, or numerical or alphabetical order. Without a column there is one, called "all".
    """
    if values is None:
        return ("all",), np.zeros(n, dtype=np.int64)
    names, codes = _names_and_codes("modality", key, values)
    categories = getattr(values.dtype, "categories", None)
    if categories is not None:
        all_names = [name_of(v) for v in categories.tolist()]
        ranks: list[Any] = [all_names.index(name) for name in names]
    else:
        try:
            ranks = [float(name) for name in names]
        except ValueError:
            ranks = list(names)
    order = sorted(range(len(names)), key=ranks.__getitem__)
    return tuple(names[i] for i in order), np.argsort(order)[codes]


def _by_case(
    cases: Sequence[object], of_case: IntArray, codes: IntArray, values: Any, argument: str
) -> IntArray:
    """Return the label or cluster of each case from those of its rows, which must be equal."""
    first = codes[np.unique(of_case, return_index=True)[1]]
    odd = np.flatnonzero(codes != first[of_case])
    if not odd.size:
        return first
    case = of_case[odd[0]]
    rows = np.flatnonzero(of_case == case)
    other = rows[codes[rows] != codes[odd[0]]][0]
    by_row = np.asarray(values, dtype=object)
    noun = "truths" if argument == "label" else f"{argument}s"
    problem = f"case {cases[case]!r} has two {noun}, {by_row[other]!r} and {by_row[odd[0]]!r}, "
    problem += "which must be equal for all readers and modalities."
    hint = "If different cases share this name, combine two columns, such as reader and case, for "
    hint += "case=."
    both = [other, odd[0]]
    raise InputError(problem, argument=argument, value=cases[case], rows=both, hint=hint)


def _long_from_wide(frame: Any, keys: Keys) -> tuple[Any, Keys, Origin]:
    """Return wide data as a long frame, with the columns of its arguments.

    Missing values in the columns of scores are cases that were not read.
    """
    import pandas as pd

    by_column = _columns_beside_scores(frame, keys)
    by_dict = [argument for argument in ("reader", "modality") if argument not in by_column]
    extras = {keys["cluster"], keys["weight"]}
    used = {keys["case"], keys["label"], *extras, *by_column.values()} - {None}
    new = {argument: f"{argument} (of score)" for argument in ("reader", "modality", "score")}
    parts, rows = [], []
    for column, entry in keys["score"].items():
        if column in used:
            problem = f"contains the column {column!r}, which is also used for another argument; "
            problem += "specify a column for each."
            raise InputError.about("score", problem, value=column)
        values = column_of(frame, "score", column)
        names = _names_in_entry(column, entry, by_dict)
        part = frame[[c for c in frame.columns if c in used]].copy()
        for argument in ("reader", "modality"):
            key = by_column.get(argument)
            part[new[argument]] = names.get(argument, "all") if key is None else frame[key]
        part[new["score"]] = values
        missing = missing_entries(values)
        read = np.flatnonzero(~missing) if missing.size else np.arange(len(frame))
        parts.append(part.iloc[read])
        rows.append(read)
    long = pd.concat(parts, ignore_index=True)
    if "modality" in by_dict:  # the order of the dict is that of the modalities
        names = long[new["modality"]]
        long[new["modality"]] = pd.Categorical(names, names.unique())
    return long, keys | new, (np.concatenate(rows), "row")


def _columns_beside_scores(frame: Any, keys: Keys) -> dict[str, Any]:
    """Return the columns of readers or modalities of wide data, after checks of all but scores."""
    if not keys["score"]:
        raise InputError.of("score", None, "names no column; pass {'column': reader}.", shown="{}")
    for argument in ("case", "label", *_EXTRAS):
        key = keys[argument]
        if key is not None:
            refuse_missing(_data_name(argument, key), column_of(frame, argument, key))
        elif argument not in _EXTRAS:
            raise InputTypeError.of(argument, None, "must name a column.")
    by_column = {a: keys[a] for a in ("reader", "modality") if keys[a] is not None}
    if len(by_column) == 2 and set(by_column.values()) <= set(frame.columns):
        problem = "is a dict, which specifies the reader or modality of each column, but there are "
        problem += "columns of both; pass reader=None or modality=None."
        raise InputError.about("score", problem, value=keys["score"])
    # The default columns are those of long data; wide data need not have them.
    by_column = {a: k for a, k in by_column.items() if k in frame.columns or k != a}
    for argument, key in by_column.items():
        column_of(frame, argument, key)
    return by_column


def _names_in_entry(column: Any, entry: Any, arguments: Sequence[str]) -> dict[str, str]:
    """Return the reader, modality or both of a column of scores, from its entry in `score`."""
    names = entry if isinstance(entry, tuple) else (entry,)
    named = arguments[: max(len(names), 1)]
    if len(names) != len(named) or any(name is None for name in names):
        nouns = " and ".join(arguments)
        problem = f"score[{column!r}] is {entry!r}, but must be the {nouns} of that column."
        raise InputError(problem, argument="score", value=entry)
    return dict(zip(named, map(name_of, names), strict=True))


def readings_of_imrmc(source: Any) -> Readings:
    """Return the readings in the four columns of iMRMC, in which the truth has separate rows."""
    lines: IntArray | None = None
    if isinstance(source, (str, os.PathLike)):
        table, lines = _imrmc_file(source)
    elif is_pandas(source) and hasattr(source, "columns"):
        table = source
    else:
        raise wrong_type("source", source, "a path or a DataFrame of four columns")
    if table.shape[1] != 4:
        problem = (
            f"has {table.shape[1]} columns, but data of iMRMC have four: reader, case, modality, "
            "score."
        )
        raise InputError.about("source", problem)
    table = table.set_axis(["reader", "case", "modality", "score"], axis=1).reset_index(drop=True)
    for column in ("reader", "case", "modality"):
        table[column] = table[column].astype(str).str.strip()
    is_truth = table["reader"].str.lower().isin(_TRUTH).to_numpy()
    readings = table[~is_truth].reset_index(drop=True)
    readings["label"] = readings["case"].map(_truth_of_cases(table[is_truth]))
    unknown = np.flatnonzero(readings["label"].isna().to_numpy())
    if unknown.size:
        case, reader, modality = (readings[c][unknown[0]] for c in ("case", "reader", "modality"))
        problem = (
            f"case {case!r}, read by reader {reader!r} in modality {modality!r}, has no row with "
            "the truth."
        )
        raise InputError(problem, argument="source")
    readings["label"] = readings["label"].astype(int)
    if readings["score"].dtype == object:
        readings["score"] = readings["score"].infer_objects()
    rows = np.flatnonzero(~is_truth)
    origin = (rows, "row") if lines is None else (lines[rows], "line")
    with naming_rows_of(origin):
        keys = {name: name for name in ("reader", "modality", "case", "label", "score")}
        long = _readings(readings, keys | dict.fromkeys(_EXTRAS), None)
    return long._replace(origin=origin)


def readings_of_marks(
    marks: Any, cases: Any, reader: str, modality: str | None, places: Places, read: Any = None
) -> Readings:
    """Return the readings that a figure of merit derives from marks with places."""
    check_frames(marks=marks, cases=cases, **({} if read is None else {"read": read}))
    import pandas as pd

    def labels(argument: str, key: str) -> Any:
        parts = [column_of(frame, argument, key) for frame in (marks, read) if frame is not None]
        return parts[0] if read is None else pd.concat(parts, ignore_index=True)

    readers, of_reader = _names_and_codes("reader", reader, labels("reader", reader))
    of_modalities = None if modality is None else labels("modality", modality)
    modalities, of_modality = _modalities(modality, of_modalities, len(of_reader))
    cell = of_modality * len(readers) + of_reader
    present = np.bincount(cell, minlength=len(readers) * len(modalities)) > 0
    numbers, cell = np.flatnonzero(present), (np.cumsum(present) - 1)[cell]
    found = read_marks(marks, cases, cell[: len(marks)], numbers.size, places)
    if read is not None:
        found = with_read_cases(found, read, cell[len(marks) :], places.case)
    else:
        _warn_about_unread(present.reshape(len(modalities), len(readers)).T, readers, modalities)
    reader_of, modality_of = numbers % len(readers), numbers // len(readers)
    names, of_cells = (readers, modalities), (reader_of, modality_of)
    return readings_of_rows(names, of_cells, found, found.rows(), found.statement)


def _warn_about_unread(
    present: BoolArray, readers: Sequence[str], modalities: Sequence[str]
) -> None:
    """Warn about a reader without marks in one modality who shares another with its readers."""
    shared = present.astype(int) @ present.T > 0
    missing = np.argwhere(((shared.astype(int) @ present) > 0) & ~present)
    if missing.size:
        reader, modality = missing[0]
        others = f", and {len(missing) - 1} more," * (len(missing) > 1)
        problem = f"has no mark of reader {readers[reader]!r} in modality {modalities[modality]!r}"
        problem += f"{others} which is analysed as if the reader had not read it."
        hint = "If it was read, pass read=, a frame with a row for each case that was read."
        warn(DoubtfulDataWarning.about("marks", problem, hint=hint))


def readings_of_rows(
    names: tuple[tuple[str, ...], tuple[str, ...]],
    of_cells: tuple[IntArray, IntArray],
    marks: Marks,
    made: FigureRows,
    statement: str,
) -> Readings:
    """Return the readings of rows of a figure of merit.

    `names` are those of the readers and of the modalities, and `of_cells` the numbers of the reader
    and of the modality of each cell.
    """
    rows, scores = rows_of_marks(marks, made, "cohort", statement)
    cell, row = np.nonzero(marks.read[:, made.case])
    lesions, known = [name for _, name in marks.truth.numbers], marks.truth.cases
    labels = [
        known[i] if k < 0 else (known[i], lesions[k])
        for i, k in zip(made.case.tolist(), made.lesion.tolist(), strict=True)
    ]
    reader, modality = (numbers[cell] for numbers in of_cells)
    ratings = [np.stack(scores)[cell, row]]
    return Readings(
        names[0],
        names[1],
        tuple(labels),
        reader,
        modality,
        row,
        ratings,
        "rating",
        rows,
        rest=statement,
    )


def _truth_of_cases(rows: Any) -> "pd.Series[int]":
    """Return the truth (0 or 1) by case, from the rows with the truth."""
    import pandas as pd

    if not len(rows):
        problem = "has no rows with the truth, whose reader is -1 or 'truth'."
        raise InputError.about("source", problem)
    truth = pd.to_numeric(rows["score"], errors="coerce")
    invalid = np.flatnonzero(~truth.isin([0, 1]).to_numpy())
    if invalid.size:
        case, value = (rows[c].tolist()[invalid[0]] for c in ("case", "score"))
        problem = f"the truth of case {case!r} is {value!r}; it must be 0 or 1."
        raise InputError(problem, argument="source")
    by_case = pd.DataFrame({"case": rows["case"], "truth": truth.astype(int)}).drop_duplicates()
    duplicated = by_case["case"].duplicated().to_numpy()
    if duplicated.any():
        case = by_case["case"].tolist()[int(np.flatnonzero(duplicated)[0])]
        raise InputError(f"case {case!r} has two truths, 0 and 1.", argument="source")
    return by_case.set_index("case")["truth"]


def _imrmc_file(path: "str | os.PathLike[str]") -> tuple[Any, IntArray]:
    """Return the four columns of a file after ``BEGIN DATA``, and the line of each row."""
    import pandas as pd

    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError.of("source", str(path), f"cannot be read: {reason}.") from None
    marks = [i for i, line in enumerate(lines) if line.strip().upper().startswith("BEGIN DATA")]
    start = marks[0] + 1 if marks else 0
    rows, numbers, scores = [], [], []
    may_be_header = not marks
    for number, line in enumerate(lines[start:], start + 1):
        if not line.strip(" ,\t"):
            continue
        fields = [field.strip().strip('"') for field in line.split(",")]
        where = f"line {number} of {str(path)!r}"
        if len(fields) != 4:
            problem = f"{where} has {fmt.count(len(fields), 'field')}, but data of iMRMC have "
            problem += "four, separated by commas: reader, case, modality, score."
            raise InputError(problem, argument="source", value=str(path))
        try:
            score = float(fields[3])
        except ValueError:
            score = math.nan
        if math.isfinite(score):
            rows.append(fields)
            numbers.append(number)
            scores.append(score)
        elif not may_be_header:
            reader, case, modality, text = fields
            problem = f"{where}: the score {text!r} of reader {reader!r}, case {case!r}, modality "
            problem += f"{modality!r} is not a number."
            raise InputError(problem, argument="source", value=str(path))
        may_be_header = False
    table = pd.DataFrame(rows, columns=["reader", "case", "modality", "score"])
    # With some versions of pandas, pd.to_numeric is wrong in the last digit.
    table["score"] = scores
    return table, np.array(numbers, dtype=np.int64)


_RJAFROC_SHEETS = {"truth": ("truth",), "hits": ("tp", "ll"), "false": ("fp", "nl")}
_IDS = {"readerid": "reader", "modalityid": "modality", "caseid": "case", "lesionid": "lesion"}
_KINDS = {"ROC": "ROC", "FROC": "wAFROC", "LROC": "LROC"}


def frames_of_rjafroc(path: Any) -> tuple[Any, Any, Any, str, str]:
    """Return the marks, the cases with their lesions, who read which case, weights and kind.

    They are arguments of `ReaderStudy.from_marks`; the kind is that of the paradigm of the file.
    """
    import pandas as pd

    sheets = _sheets(path)
    truth, hits, false = (_sheet(sheets, names, path) for names in _RJAFROC_SHEETS.values())
    paradigm = truth.pop("paradigm") if "paradigm" in truth.columns else pd.Series(dtype=object)
    words = [str(v).strip().upper() for v in paradigm.dropna()]
    kind = next((_KINDS[w] for w in words if w in _KINDS), "wAFROC")
    _require(truth, ("case", "lesion"), "Truth")
    for frame, sheet in ((hits, "TP"), (false, "FP")):
        _require(frame, ("reader", "modality", "case", "rating"), sheet)
    _require(hits, ("lesion",), "TP")
    columns_of_marks = ["reader", "modality", "case", "lesion", "rating"]
    sheets_of_marks = [hits, false] if len(false) else [hits]
    marks = pd.concat([f.reindex(columns=columns_of_marks) for f in sheets_of_marks])
    marks = marks.reset_index(drop=True)
    cases = truth.assign(lesion=truth["lesion"].where(truth["lesion"] != 0))
    weights = "equal"
    if "weight" in cases.columns and cases["weight"].fillna(0).ne(0).any():
        weights = "weight"
    return marks, cases, _readings_listed(truth, marks), weights, kind


def _sheets(path: Any) -> dict[str, Any]:
    """Return the sheets of a workbook by name."""
    import pandas as pd

    if not isinstance(path, (str, os.PathLike)):
        raise wrong_type("path", path, "a path")
    try:
        sheets = pd.read_excel(path, sheet_name=None, dtype=object)
    except ImportError:
        problem = "an Excel workbook requires openpyxl, which is not installed."
        raise InputError(problem, argument="path", hint=install_advice("excel")) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError.of("path", str(path), f"cannot be read: {reason}.") from None
    return {str(name).strip().lower(): frame for name, frame in sheets.items()}


def _sheet(sheets: dict[str, Any], names: tuple[str, ...], path: Any) -> Any:
    """Return a sheet with its columns by the names of this package, without empty rows."""
    name = next((n for n in names if n in sheets), None)
    if name is None:
        problem = f"has no sheet {' or '.join(n.upper() for n in names)}. The sheets are: "
        raise InputError.of("path", str(path), f"{problem}{', '.join(sheets)}.")
    frame = sheets[name].dropna(how="all")
    keys = ["".join(c for c in str(column).lower() if c.isalnum()) for column in frame.columns]
    names_here = [_IDS.get(k, "rating" if k.endswith("rating") else k) for k in keys]
    frame = frame.set_axis(names_here, axis=1)
    for column in {"reader", "modality", "case"} & {*frame.columns}:
        frame[column] = [v if v is np.nan else name_of(v).strip() for v in frame[column]]
    for column in {"lesion", "rating", "weight"} & {*frame.columns}:
        frame[column] = frame[column].infer_objects()
    return frame


def _require(frame: Any, columns: tuple[str, ...], sheet: str) -> None:
    """Raise an error for a sheet without one of these columns."""
    lacking = [column for column in columns if column not in frame.columns]
    if lacking:
        names = {ours: theirs for theirs, ours in _IDS.items()}
        shown = ", ".join(names.get(c, f"{sheet}_Rating") for c in lacking)
        raise InputError.about("path", f"has no column {shown} in the sheet {sheet}.")


def _readings_listed(truth: Any, marks: Any) -> Any:
    """Return a row for each case that a reader read in a modality, as Truth lists them.

    Without such lists, every reader read every case in every modality in which the reader marked.
    """
    if not {"reader", "modality"} <= {*truth.columns}:
        cells = marks[["reader", "modality"]].drop_duplicates()
        return cells.merge(truth[["case"]].drop_duplicates(), how="cross")
    listed = truth.drop_duplicates("case")[["reader", "modality", "case"]]
    for column in ("reader", "modality"):
        names = listed[column].astype(str).str.split(",")
        listed = listed.assign(**{column: names}).explode(column, ignore_index=True)
        listed[column] = listed[column].str.strip()
    return listed
