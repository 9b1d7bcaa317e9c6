"""Samples made of files: rows, long data of several classifiers, tables of counts."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pauci.checks import nearest
from pauci.cli.data import DECIMAL_COMMA, Data, refuse_lists, spells
from pauci.cli.engine_files import is_for_engine, resolution_of, sample_on_engine
from pauci.cli.files import Reading, name_of, read
from pauci.cli.parsing import is_number
from pauci.cli.unpacking import PACKED
from pauci.cli.wording import COMMAND, CommandWording, speaking
from pauci.errors import InputError, PauciError, RowNumbers, arg
from pauci.sample.sample import Sample

if TYPE_CHECKING:
    import pandas as pd

_OF_ALL = ("frequency", "weight", "cluster")
_BESIDE = (*_OF_ALL, "fold")
"""Columns beside labels and scores: of every command that takes rows, and of some."""


def sample_of(
    file: str,
    reading: Reading,
    label: str,
    scores: Sequence[str],
    positive: str | None,
    lower_is_positive: Sequence[str],
    drop_missing: bool,
    by: str | None = None,
    row: str | None = None,
    *,
    negative: str | None = None,
    missing: Sequence[str] = (),
    **options: Any,
) -> Sample:
    """Read a file of rows into a sample; `options` are those of `Sample.from_frame`."""
    resolution, database = resolution_of(options.pop("resolution")), options.pop("database")
    words = _codes_that_are_words(missing, reading)
    reading = replace(reading, codes=dict.fromkeys(scores, words) if words else {})
    if is_for_engine(file, resolution, database):
        if by is not None:
            raise InputError(
                arg("by"), " is for files that are read into memory; on DuckDB use PIVOT in a "
                "query, duckdb:PIVOT ... in the place of the file.",
            )  # fmt: skip
        return sample_on_engine(
            file, reading, label, scores, positive, lower_is_positive, resolution=resolution,
            database=database, drop_missing=drop_missing, negative=negative, missing=missing,
            **options,
        )  # fmt: skip
    beside = [column for k in _BESIDE if (column := options.get(k)) is not None]
    needed = [label, *scores, *beside, *(c for c in (by, row) if c is not None)]
    data = read(file, reading, needed)
    for option, columns in (("scores", scores), ("lower_is_positive", lower_is_positive)):
        refuse_lists(option, columns, [str(c) for c in data.frame.columns])
    for column in (*scores, options["frequency"], options["weight"]):
        if column is not None and list(data.frame.columns).count(column) == 1:
            data.refuse_text(column)
    if by is not None and row is not None:
        long = scores[0]
        data, scores = _wide(data, by, row, label, long, beside, drop_missing=drop_missing)
        lower_is_positive = [
            name
            for column in lower_is_positive
            for name in (scores if column == long else [column])
        ]
    frame, chosen = data.frame, positive_of(data, label, positive)
    if lower_is_positive:
        options["lower_is_positive"] = list(lower_is_positive)
    if drop_missing:
        options["drop_missing"] = True
    options["negative"] = positive_of(data, label, negative)
    if missing:
        options["missing"] = {
            column: [v for v in frame[column].unique().tolist() if spelled_by(missing, v)]
            for column in (label, *scores)
            if column in frame.columns
        }
    try:
        with speaking(data.wording):
            return Sample.from_frame(frame, label, list(scores), positive=chosen, **options)
    except PauciError as error:
        raise about(data, error) from None


def positive_of(data: Data, label: str, positive: str | None) -> object:
    """Return the label that a word of the command line names, as it stands in the data."""
    if positive is None or label not in data.frame.columns:
        return positive
    same = [v for v in data.frame[label].unique().tolist() if spells(positive, v)]
    return same[0] if same else positive


def _codes_that_are_words(missing: Sequence[str], reading: Reading) -> list[str]:
    """Return codes of missing values that are no numbers; refuse several codes in one value."""
    words = [code for code in missing if not is_number(code)]
    for code in words:
        if reading.decimal == "," and DECIMAL_COMMA.fullmatch(code):
            continue
        parts = [part for part in re.split(r"[,;\s]+", code) if part]
        if len(parts) > 1 and all(map(is_number, parts)):
            raise InputError(
                arg("missing", code), " are several codes. Give each an option of its own: ",
                arg("missing", parts), ".", argument="missing", value=code,
            )  # fmt: skip
    return words


def spelled_by(words: Sequence[str], value: object) -> bool:
    """Tell whether one of some words of the command line names a value."""
    return any(spells(word, value) for word in words)


def about(data: Data, error: Any, options: dict[str, str] | None = None) -> InputError:
    """Return an error of the package with the file and its lines in it."""
    said = error.said(CommandWording(data.row_names, options))
    return InputError(f"{data.name}: {said}", argument=error.argument, value=error.value)


def _refuse_unknown(data: Data, columns: dict[str, str], more: str = ".") -> None:
    """Refuse columns, by the option that names them, that are not there."""
    available = [str(c) for c in data.frame.columns]
    for option, column in columns.items():
        if column not in available:
            raise data.error(
                arg(option, column),
                f" is not a column{nearest(column, available)} "
                f"The columns are: {', '.join(available)}{more}",
            )


def _wide(
    data: Data, by: str, row: str, label: str, score: str, beside: Sequence[str], *,
    drop_missing: bool,
) -> tuple[Data, list[str]]:  # fmt: skip
    """Return long data with one column of scores per classifier, and the names of these.

    Each row of the long data is a case as one classifier scored it. A case has one row for each
    classifier, and the label and what goes with it are the same in all of them.
    """
    import pandas as pd

    _refuse_unknown(data, {"by": by, "row": row, "label": label, "scores": score})
    frame = data.frame
    data.refuse_blank("--by", by)
    data.refuse_blank("--row", row)
    levels = frame[by].unique().tolist()
    if len(levels) == 1:
        raise data.error(
            f"column {by!r} (--by) names one classifier only, {levels[0]!r}, and a comparison "
            "needs two."
        )
    if len({by, row, label, score}) < 4 or {by, row, label, score} & set(beside):
        others = "".join(f", {COMMAND.argument(name)}" for name in _OF_ALL)
        raise data.error(f"--by, --row, --label, --score{others} must name different columns.")
    twice = frame.duplicated([row, by], keep=False).to_numpy().nonzero()[0]
    if twice.size:
        case, level = (frame[c].tolist()[twice[0]] for c in (row, by))
        same = (frame[row] == case) & (frame[by] == level)
        raise data.error(
            f"{row} {case!r} has several rows for {by} {level!r} (",
            RowNumbers.first(same.to_numpy().nonzero()[0]),
            f"); --row must name a column that tells the rows of each {by} apart.",
        )
    cases = frame[row].drop_duplicates()
    for column in (label, *beside):
        _refuse_disagreement(data, row, column)
    names = [str(level) for level in levels]
    taken = {label, *beside} & set(names)
    if taken:
        raise data.error(f"column {by!r} holds {taken.pop()!r}, which is a column too; rename one.")
    wide = frame.drop_duplicates(row)[[label, *beside]].reset_index(drop=True)
    for level, name in zip(levels, names, strict=True):
        of_level = frame[frame[by] == level]
        if len(of_level) < len(cases) and not drop_missing:
            absent = cases[~cases.isin(of_level[row])].tolist()
            more = f" and {len(absent) - 1} more have" if len(absent) > 1 else " has"
            raise data.error(
                f"{row} {absent[0]!r}{more} no row for {by} {level!r}, so the classifiers cannot "
                "be paired; complete them, or leave such cases out with --drop-missing."
            )
        wide[name] = pd.Series(of_level[score].array, of_level[row]).reindex(cases).array
    ids = cases.tolist()
    return Data(
        data.name, wide, lambda positions, _: f"{row} {', '.join(repr(ids[p]) for p in positions)}"
    ), names


def _refuse_disagreement(data: Data, row: str, column: str) -> None:
    """Refuse cases whose rows differ in what belongs to the case, such as the label."""
    _refuse_unknown(data, {"column": column})
    frame = data.frame
    distinct = frame.groupby(row, sort=False)[column].nunique(dropna=False)
    if (distinct > 1).any():
        case = distinct.index[distinct.to_numpy() > 1].tolist()[0]
        same = (frame[row] == case).to_numpy().nonzero()[0]
        found = frame[column].iloc[same].drop_duplicates().tolist()
        raise data.error(
            f"{row} {case!r} has {' and '.join(repr(v) for v in found[:3])} in column {column!r} (",
            RowNumbers.first(same),
            "); it must be the same in all rows of a case.",
        )


def tables_of(
    files: Sequence[str], reading: Reading, lower_is_positive: Sequence[str], **options: Any
) -> list[Sample]:
    """Read the tables of counts in files."""
    _refuse_files_given_twice(files)
    samples = [
        sample for file in files
        for sample in _tables_in(file, reading, lower_is_positive, **options)
    ]  # fmt: skip
    names = [sample.names[0] for sample in samples]
    for name in lower_is_positive:
        if name not in names:
            raise InputError(
                arg("lower_is_positive", name),
                f" is not a table{nearest(name, names)} The tables are: {', '.join(names)}.",
            )
    return samples


def _refuse_files_given_twice(files: Sequence[str]) -> None:
    """Refuse one file under two names or one: its tables are not independent of themselves."""
    for i, file in enumerate(files):
        for other in files[:i]:
            try:
                same = file == other or Path(file).samefile(other)
            except OSError:
                continue  # what cannot be read is refused where it is read
            if same:
                raise InputError(
                    f"{name_of(file)} is given twice. Tables of counts are compared as independent "
                    "samples, and one is not independent of itself; give each file once."
                )


def _tables_in(
    file: str, reading: Reading, lower_is_positive: Sequence[str], score: str,
    positives_column: str, negatives_column: str, by: str | None, design: Any,
) -> list[Sample]:  # fmt: skip
    """Read the tables of counts in a file."""
    columns = {
        "score": score, "positives-column": positives_column, "negatives-column": negatives_column,
    }  # fmt: skip
    named = columns | ({"by": by} if by is not None else {})
    data = read(file, reading, list(named.values()))
    _refuse_unknown(data, named, "; the file needs a row per category.")
    if not len(data.frame):
        raise data.error("there is no row below the header; the file needs a row per category.")
    for option, column in named.items():
        data.refuse_blank(f"--{option}", column)
    for column in columns.values():
        data.refuse_text(column)
    path = Path(file)
    stem = path.with_suffix("").stem if path.suffix in PACKED else path.stem
    frame = data.frame
    parts = (
        [("score" if file == "-" else stem, frame)]
        if by is None
        else list(frame.groupby(by, sort=False))
    )
    return [
        _table(data, str(key), part, columns, by, design, lower=str(key) in lower_is_positive)
        for key, part in parts
    ]


def _table(
    data: Data, name: str, part: "pd.DataFrame", columns: dict[str, str], by: str | None,
    design: Any, *, lower: bool,
) -> Sample:  # fmt: skip
    """Return the sample of one table of counts."""
    places = part.index.tolist()
    score, positives, negatives = (part[column] for column in columns.values())
    if by is None and score.duplicated().any():
        value = score[score.duplicated()].tolist()[0]
        raise data.error(
            f"column {columns['score']!r} holds {value!r} more than once (",
            RowNumbers.first(
                [i for i, v in zip(places, score.tolist(), strict=True) if v == value]
            ),
            "); if the file has several tables, --by names the column that tells which.",
        )
    there = Data(
        data.name,
        part,
        lambda positions, noun: data.row_names([places[p] for p in positions], noun),
    )
    options = {"positives": "--positives-column", "negatives": "--negatives-column"}
    try:
        with speaking(there.wording):
            return Sample.from_counts(
                score.tolist(), positives.to_numpy(), negatives.to_numpy(), name, design,
                lower_is_positive=lower,
            )  # fmt: skip
    except PauciError as error:
        raise about(there, error, options) from None
