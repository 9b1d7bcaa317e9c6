"""Samples and studies read from files: rows, long data, tables of counts, reader studies."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pauci.checks import nearest
from pauci.cli.data import (
    ORDER_OF_CATEGORIES,
    Data,
    is_spelling_of,
    refuse_lists,
    refuse_repeated_categories,
    typed_codes,
)
from pauci.cli.duckdb_files import is_for_engine, sample_on_engine
from pauci.cli.options import CountColumns, LongData, Reading, RowColumns, StudyColumns
from pauci.cli.read_files import PACKED, FileContent, name_of, read
from pauci.cli.shell_syntax import SHELL, ShellSyntax, warnings_in
from pauci.cli.typed_commands import is_number
from pauci.cli.written_numbers import DECIMAL_COMMA
from pauci.errors import InputError, PauciError
from pauci.readers.study import ReaderStudy
from pauci.sample.rows import Design
from pauci.sample.sample import Sample

if TYPE_CHECKING:
    import pandas as pd

_NO_LONG_DATA = LongData(by=None, row=None)


_FOR_CLASSIFIERS = (
    "--by names the column of the classifier in long data, which have a row for each case and "
    "classifier. Independent groups of cases are compared in Python: "
    "pauci.compare([first, second], measure), with a sample of each group."
)


def _refuse_long_data(long: LongData) -> None:
    """Refuse data in long form that DuckDB counts."""
    if long.by is not None:
        raise InputError(
            "--by requires a file that is read into memory; with DuckDB, use a query instead of "
            "the file: duckdb:PIVOT ...",
            argument="by",
        )


def sample_of(
    file: str | FileContent,
    reading: Reading,
    rows: RowColumns,
    design: Design,
    *,
    fold: str | None = None,
    long: LongData = _NO_LONG_DATA,
    groups: Sequence[str] = (),
) -> Sample:
    """Read a file of rows into a sample, with columns of groups."""
    codes = text_codes(rows.missing, reading)
    if isinstance(file, str) and is_for_engine(file, rows):
        _refuse_long_data(long)
        return sample_on_engine(file, reading, rows, design, fold, codes, groups)
    by_and_row = [c for c in (long.by, long.row) if c is not None]
    data = read(
        file,
        reading,
        [rows.label, *rows.scores, *_optional_columns(rows, fold, groups), *by_and_row],
        dict.fromkeys(rows.scores, codes) if codes else {},
    )
    return sample_in(data, rows, design, fold=fold, long=long, groups=groups)


def _optional_columns(rows: RowColumns, fold: str | None, groups: Sequence[str]) -> list[str]:
    """Return the columns of a sample other than its labels and scores."""
    columns = (rows.frequency, rows.weight, rows.cluster, fold, *groups)
    return [c for c in columns if c is not None]


def sample_in(
    data: Data,
    rows: RowColumns,
    design: Design,
    *,
    fold: str | None = None,
    long: LongData = _NO_LONG_DATA,
    groups: Sequence[str] = (),
) -> Sample:
    """Return the sample in a table of rows, with columns of groups."""
    data = data.with_value_labels([*groups, long.by])
    data.state_declared([rows.label, *rows.scores, *_optional_columns(rows, fold, groups), long.by])
    optional, blanked = _optional_columns(rows, fold, groups), data.blanked
    _check_columns(data, rows)
    scores, lower = list(rows.scores), list(rows.lower_is_positive)
    if long.by is not None and long.row is not None:
        column = rows.scores[0]
        data, scores = _wide(
            data, long.by, long.row, rows.label, column, optional, drop_missing=rows.drop_missing
        )
        lower = [name for c in lower for name in (scores if c == column else [c])]
    if rows.categories:
        data = _with_ordered_categories(data, scores, rows.categories)
    try:
        with warnings_in(data.syntax):
            return Sample.from_frame(
                data.frame,
                rows.label,
                scores,
                positive=label_of(data, rows.label, rows.positive),
                negative=label_of(data, rows.label, rows.negative),
                frequency=rows.frequency,
                weight=rows.weight,
                cluster=rows.cluster,
                design=design,
                lower_is_positive=lower or False,
                drop_missing=rows.drop_missing,
                fold=fold,
                group=list(groups) or None,
                missing=typed_codes(rows.missing, blanked),
            )
    except PauciError as error:
        raise _about(data, error) from None


def _check_columns(data: Data, rows: RowColumns) -> None:
    """Refuse several columns in one option, and columns of numbers with other cells."""
    columns = list(data.frame.columns)
    refuse_lists("scores", rows.scores, list(map(str, columns)))
    refuse_lists("lower_is_positive", rows.lower_is_positive, list(map(str, columns)))
    if not rows.categories:
        for score in rows.scores:
            if columns.count(score) == 1:
                data.refuse_text(score, ORDER_OF_CATEGORIES)
    for column in (rows.frequency, rows.weight):
        if column is not None and columns.count(column) == 1:
            data.refuse_text(column)


def study_of(file: str | FileContent, reading: Reading, columns: StudyColumns) -> ReaderStudy:
    """Read a file with a row for each reading into a study."""
    c = columns
    named = {"--reader": c.reader, "--modality": c.modality, "--case": c.case}
    needed = [c.label, c.score, c.cluster, *named.values()]
    data = read(file, reading, [column for column in needed if column is not None])
    data = data.with_value_labels([c.reader, c.modality])
    data.state_declared(needed)
    if list(data.frame.columns).count(c.score) == 1:
        if c.categories:
            data = _with_ordered_categories(data, [c.score], c.categories)
        else:
            data.refuse_text(c.score, ORDER_OF_CATEGORIES)
    for option, column in named.items() if not c.drop_missing else ():
        if column is not None and list(data.frame.columns).count(column) == 1:
            data.refuse_blank(option, column)
    try:
        with warnings_in(data.syntax):
            return ReaderStudy.from_frame(
                data.frame,
                c.reader,
                c.modality,
                c.case,
                c.label,
                c.score,
                label_of(data, c.label, c.positive),
                c.cluster,
                sampling=c.sampling,
                lower_is_positive=c.lower_is_positive,
                drop_missing=c.drop_missing,
            )
    except PauciError as error:
        raise _about(data, error) from None


def _with_ordered_categories(data: Data, columns: Sequence[str], categories: Sequence[str]) -> Data:
    """Return the data with columns of ratings as ordered categories."""
    import pandas as pd

    refuse_repeated_categories(categories)
    ordered = {}
    for column in columns:
        if list(data.frame.columns).count(column) != 1:
            continue  # an error of the columns
        values = data.frame[column]
        spelled = {
            v: next((c for c in categories if is_spelling_of(c, v)), None)
            for v in values.dropna().unique().tolist()
        }
        unknown = [v for v, category in spelled.items() if category is None]
        if unknown:
            rows = values.isin(unknown).to_numpy().nonzero()[0]
            raise data.error(
                f"column {column!r} holds {unknown[0]!r}, which is not one of the categories "
                f"{', '.join(categories)}.",
                rows,
                f"Add --category {unknown[0]!r} at its place in the order.",
            )
        ordered[column] = pd.Categorical(values.map(spelled), pd.Index(categories), ordered=True)
    return replace(data, frame=data.frame.assign(**ordered))


def label_of(data: Data, label: str, word: str | None) -> object:
    """Return the label in the data that is spelled like an option value."""
    if word is None or label not in data.frame.columns:
        return word
    distinct, named = data.frame[label].unique().tolist(), data.value_labels.get(label, {})
    spelled = (v for v in distinct if is_spelling_of(word, v))
    return next(spelled, next((v for v in distinct if named.get(v) == word), word))


def text_codes(missing: Sequence[str], reading: Reading) -> list[str]:
    """Return codes of missing values that are not numbers; refuse several codes in one value."""
    texts = [code for code in missing if not is_number(code)]
    for code in texts:
        if reading.decimal == "," and DECIMAL_COMMA.fullmatch(code):
            continue
        parts = [part for part in re.split(r"[,;\s]+", code) if part]
        if len(parts) > 1 and all(map(is_number, parts)):
            raise InputError.of(
                "missing",
                code,
                "holds several codes.",
                hint="Use one option for each: "
                f"{' '.join(f'--missing {part!r}' for part in parts)}.",
            )
    return texts


def _about(data: Data, error: Any, options: dict[str, str] | None = None) -> InputError:
    """Return an error of the package with the file and its lines in it."""
    text = ShellSyntax(data.row_names, options).sentence(error)
    return InputError(f"{data.name}: {text}", argument=error.argument, value=error.value)


def _refuse_unknown(data: Data, columns: dict[str, str], more: str = ".") -> None:
    """Refuse columns that the data do not have; `columns` are by the option that names them."""
    available = [str(c) for c in data.frame.columns]
    for option, column in columns.items():
        if column not in available:
            error = InputError.of(
                option,
                column,
                f"is not a column{nearest(column, available)} The columns are: "
                f"{', '.join(available)}{more}",
            )
            raise _about(data, error)


def _wide(
    data: Data,
    by: str,
    row: str,
    label: str,
    score: str,
    case_columns: Sequence[str],
    *,
    drop_missing: bool,
) -> tuple[Data, list[str]]:
    """Return long data with one column of scores per classifier, and the names of the columns.

    Each row of the long data has the score of a case by one classifier. A case has one row for each
    classifier, with the same label and the same values in `case_columns`.
    """
    import pandas as pd

    _check_long(data, by, row, label, score, case_columns)
    frame = data.frame
    levels = frame[by].unique().tolist()
    cases = frame[row].drop_duplicates()
    names = [str(level) for level in levels]
    wide = frame.drop_duplicates(row)[[label, *case_columns]].reset_index(drop=True)
    for level, name in zip(levels, names, strict=True):
        readings = frame[frame[by] == level]
        if len(readings) < len(cases) and not drop_missing:
            absent = cases[~cases.isin(readings[row])].tolist()
            more = f" and {len(absent) - 1} more have" if len(absent) > 1 else " has"
            raise data.error(
                f"{row} {absent[0]!r}{more} no row for {by} {level!r}, so the classifiers cannot "
                "be paired; complete the data, or leave out such cases with --drop-missing."
            )
        wide[name] = pd.Series(readings[score].array, readings[row]).reindex(cases).array
    ids = cases.tolist()
    return Data(
        data.name, wide, lambda positions, _: f"{row} {', '.join(repr(ids[p]) for p in positions)}"
    ), names


def _check_long(
    data: Data, by: str, row: str, label: str, score: str, case_columns: Sequence[str]
) -> None:
    """Raise an error for long data whose rows cannot be assigned to cases and classifiers."""
    _refuse_unknown(data, {"by": by, "row": row, "label": label, "scores": score})
    frame = data.frame
    data.refuse_blank("--by", by)
    data.refuse_blank("--row", row)
    levels = frame[by].unique().tolist()
    if len(levels) == 1:
        raise data.error(
            f"column {by!r} (--by) names only one classifier, {levels[0]!r}, but a comparison "
            "needs two."
        )
    if len({by, row, label, score}) < 4 or {by, row, label, score} & set(case_columns):
        others = "".join(f", {SHELL.option(name)}" for name in ("frequency", "weight", "cluster"))
        raise data.error(f"--by, --row, --label, --score{others} must name different columns.")
    if not frame[row].duplicated().any():
        raise data.error(
            f"no {row} occurs in two rows, so the values of {by} are groups of different cases.",
            hint=_FOR_CLASSIFIERS,
        )
    repeated = frame.duplicated([row, by], keep=False).to_numpy().nonzero()[0]
    if repeated.size:
        case, level = (frame[c].tolist()[repeated[0]] for c in (row, by))
        same = (frame[row] == case) & (frame[by] == level)
        raise data.error(
            f"{row} {case!r} has several rows for {by} {level!r}.",
            same.to_numpy().nonzero()[0],
            f"--row must name a column that distinguishes the rows of each {by}.",
        )
    for column in (label, *case_columns):
        _refuse_disagreement(data, row, column)
    duplicates = {label, *case_columns} & set(map(str, levels))
    if duplicates:
        raise data.error(
            f"column {by!r} holds {duplicates.pop()!r}, which is also the name of a column; rename "
            "one of them."
        )


def _refuse_disagreement(data: Data, row: str, column: str) -> None:
    """Raise an error for cases whose rows differ in a column of the case, such as the label."""
    _refuse_unknown(data, {"column": column})
    frame = data.frame
    distinct = frame.groupby(row, sort=False)[column].nunique(dropna=False)
    if (distinct > 1).any():
        case = distinct.index[distinct.to_numpy() > 1].tolist()[0]
        same = (frame[row] == case).to_numpy().nonzero()[0]
        values = frame[column].iloc[same].drop_duplicates().tolist()
        raise data.error(
            f"{row} {case!r} has {' and '.join(repr(v) for v in values[:3])} in column {column!r}, "
            "which must be the same in all rows of a case.",
            same,
            _FOR_CLASSIFIERS,
        )


def tables_of(
    files: Sequence[str], reading: Reading, columns: CountColumns, design: Design
) -> list[Sample]:
    """Read the tables of counts in files."""
    _refuse_files_given_twice(files)
    samples = [sample for file in files for sample in _tables_in(file, reading, columns, design)]
    names = [sample.names[0] for sample in samples]
    for name in columns.lower_is_positive:
        if name not in names:
            raise InputError.of(
                "lower_is_positive",
                name,
                f"is not a table{nearest(name, names)} The tables are: {', '.join(names)}.",
            )
    return samples


def _refuse_files_given_twice(files: Sequence[str]) -> None:
    """Raise an error for a file that is given twice, whose tables would not be independent."""
    for i, file in enumerate(files):
        for other in files[:i]:
            try:
                same = file == other or Path(file).samefile(other)
            except OSError:
                continue  # a file that cannot be read is refused when it is read
            if same:
                raise InputError(
                    f"{name_of(file)} is given twice. Tables of counts are compared as independent "
                    "samples; give each file once."
                )


def _tables_in(file: str, reading: Reading, options: CountColumns, design: Design) -> list[Sample]:
    """Read the tables of counts in a file."""
    by = options.by
    columns = {
        "score": options.score,
        "positives-column": options.positives_column,
        "negatives-column": options.negatives_column,
    }
    named = columns | ({"by": by} if by is not None else {})
    data = read(file, reading, list(named.values())).with_value_labels([by])
    data.state_declared(named.values())
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
        _table(
            data, str(key), part, columns, by, design, lower=str(key) in options.lower_is_positive
        )
        for key, part in parts
    ]


def _table(
    data: Data,
    name: str,
    part: "pd.DataFrame",
    columns: dict[str, str],
    by: str | None,
    design: Any,
    *,
    lower: bool,
) -> Sample:
    """Return the sample of one table of counts."""
    places = part.index.tolist()
    score, positives, negatives = (part[column] for column in columns.values())
    if by is None and score.duplicated().any():
        value = score[score.duplicated()].tolist()[0]
        raise data.error(
            f"column {columns['score']!r} holds {value!r} more than once.",
            [i for i, v in zip(places, score.tolist(), strict=True) if v == value],
            "If the file has several tables, name the column that distinguishes them with --by.",
        )
    part_data = Data(
        data.name,
        part,
        lambda positions, noun: data.row_names([places[p] for p in positions], noun),
    )
    options = {"positives": "--positives-column", "negatives": "--negatives-column"}
    try:
        with warnings_in(part_data.syntax):
            return Sample.from_counts(
                score.tolist(),
                positives.to_numpy(),
                negatives.to_numpy(),
                name,
                design,
                lower_is_positive=lower,
            )
    except PauciError as error:
        raise _about(part_data, error, options) from None
