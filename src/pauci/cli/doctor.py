"""`pauci doctor`: what a file has, and the commands for the analyses that it supports."""

import re
import shlex
from collections.abc import Mapping, Sequence
from itertools import chain, islice
from typing import Any

from pauci.backends.frames import ConnectedRelation
from pauci.cautions.about_data import warn_about_missing_codes
from pauci.checks import listed
from pauci.cli.options import COMMANDS, as_options, flag_of, options_of
from pauci.cli.samples import Call
from pauci.errors import InputError, InputTypeError, Message, MissingCodeWarning, held_warnings
from pauci.number_texts import NUMBER_LIKE, distinct_cells, not_numbers, order_of_ratings
from pauci.sample.columns import censoring_advice
from pauci.sample.frame_columns import column_of
from pauci.sample.repeated_rows import case_column

FEWEST_SCORES = 3
"""Smallest number of distinct values of a score."""

_MOST_SHOWN, _MOST_COLUMNS, _MOST_LEVELS = 5, 50, 20
_GROUPS, _WORDS = range(2, 6), range(3, 13)
_CLUSTERS = ("id", "patient", "subject", "case", "cluster", "person")

_OUTCOME = re.compile(
    r"label|outcome|disease|diagnos|recur|relapse|cancer|event|death|died|dead|status|target|truth|"
    r"reference|response|class|krank|befund|rezidiv|ereignis|tod|ziel|^y$",
    re.IGNORECASE,
)
_READER = re.compile(r"reader|rater|observer|radiolog|leser|befunder", re.IGNORECASE)
_NEGATIVE = re.compile(
    r"-?0(\.0)?|-1(\.0)?|false|n(o(n|ne|t)?|ein|eg\w*)([ -].*)?|kein.*|ohne .*|without .*|"
    r"control\w*|kontrolle\w*|healthy|well|gesund\w*|benign\w*|gutartig\w*|alive|absent|normal|"
    r"censored",
    re.IGNORECASE,
)
_AUC = {"measure": "auc"}
_LETTERS = (("f", "t"), ("n", "y"), ("n", "j"), ("n", "p"), ("-", "+"))
"""Letters for the negative and the positive value, which are conclusive only as a pair."""

Levels = list[tuple[str, str, int]]
"""Values of the outcome as texts, their labels in the file, and their numbers of rows."""


def described(name: str, table: Any, label: str | None = None) -> str:
    """Return a description of a file, and the commands that can read it."""
    if isinstance(table, ConnectedRelation):
        kinds = zip(table.relation.columns, table.relation.types, strict=True)
        return "\n".join(["Columns that DuckDB reads:", *(f"  {c}: {t}" for c, t in kinds)])
    found = table.attrs.get("read_as")
    lines = [f"{name}: {len(table):,} rows, {table.shape[1]:,} columns."]
    lines += [f"It was read with {found}."] if found else []
    lines += ["", "Columns:"]
    columns = list(map(str, table.columns))
    lines += [f"  {c}: {_column(table.iloc[:, i])}" for i, c in enumerate(columns[:_MOST_COLUMNS])]
    lines += [f"  ... {len(columns) - _MOST_COLUMNS:,} more"] * (len(columns) > _MOST_COLUMNS)
    of_counts = _is_of_counts(table)
    distinct = {} if of_counts else distinct_counts(table)
    labels = outcomes(distinct)
    if label is not None:
        n, labels = int(column_of(table, "label", label).nunique()), [label]
        if not 0 < n <= _MOST_LEVELS:
            problem = f"has {n:,} values; choose a column with two, or at most {_MOST_LEVELS}."
            raise InputError.of("label", label, problem)
    roles = case_columns(table, labels)
    labels = [c for c in labels if c not in roles.values()]
    scores = [c for c in numbers(table, distinct) if c not in (*labels, *roles.values())]
    of_study = roles if "reader" in roles else {}
    single = [c for c, n in distinct.items() if n == 1 and _READER.search(c)]
    if of_study and "modality" not in of_study and len(single) == 1:
        of_study |= {"reader": single[0], "modality": of_study["reader"], "readers": "fixed"}
    warnings = _warnings(table, labels, "" if of_study else roles.get("case", ""))
    if of_counts:
        commands = [_command_of_counts(name, table)]
    elif len(labels) == 1:
        commands, problems = _commands(name, table, labels[0], scores, of_study)
        warnings += problems
    else:
        commands = []
        for c in labels[:_MOST_SHOWN]:
            checked = scores if c == labels[0] else scores[:1]
            found, problems = _commands(name, table, c, checked, of_study)
            commands += found[:1]
            warnings += [f"with --label {shlex.quote(c)}: {problem}" for problem in problems]
    commands = commands or [_reason(table, labels, scores, of_study)]
    lines += ["", "To check:", *(f"  {warning}" for warning in warnings)] if warnings else []
    return "\n".join([*lines, "", "Commands:", *(f"  {command}" for command in commands)])


def _column(values: Any) -> str:
    """Return the type, the values and the missing values of a column."""
    present = values.dropna()
    distinct = present.unique().tolist()
    kinds = {**dict.fromkeys("iuf", "numbers"), "b": "true or false", "M": "dates"}
    kind = kinds.get(values.dtype.kind, "text")
    if kind == "numbers" and len(distinct) > _MOST_SHOWN:
        shown = f"{present.min():.6g} to {present.max():.6g}, {len(distinct):,} distinct"
    else:
        counts = present.value_counts()
        first = [f"{v!r} ({n:,})" for v, n in list(counts.items())[:_MOST_SHOWN]]
        shown = ", ".join(first) + ", ..." * (len(distinct) > _MOST_SHOWN)
    missing = len(values) - len(present)
    return f"{kind}; {shown or 'blank'}" + (f"; {missing:,} missing" if missing else "")


def _warnings(table: Any, labels: Sequence[str], case: str) -> list[str]:
    """Return what may be wrong with the rows."""
    found = []
    repeated = int(table.duplicated().sum())
    if repeated:
        rows = "row repeats" if repeated == 1 else "rows repeat"
        found.append(f"{repeated:,} {rows} another row: was the file pasted twice?")
    if len(labels) > 1:
        found.append(f"the outcome may be {with_counts(table, labels)}: choose it by --label.")
    elif labels:
        value, known = _positive(table, labels[0])
        if not (known or _is_conventional(table[labels[0]])):
            found.append(f"which value of {labels[0]!r} is positive? The commands take {value!r}.")
    for name in _unique(table)[:_MOST_COLUMNS]:
        for text, n in texts_in(table, name).items():
            advice = censoring_advice(text) or (
                f"If it is a missing value, add --missing {shlex.quote(text)} --drop-missing."
            )
            found.append(f"{text!r} in {n:,} row{'s' * (n != 1)} of {name!r}. {advice}")
    several = int(table[case].duplicated(keep=False).sum()) if case else 0
    if several > 0 and table[case].nunique() > 2:
        found.append(
            f"{several:,} rows share their value of {case!r}: if these are not independent, "
            f"add --cluster {shlex.quote(case)}."
        )
    return found


def case_columns(table: Any, labels: Sequence[str]) -> dict[str, str]:
    """Return the column of cases with several rows, and those of readers and modalities if any.

    Cases are recognized by one of the few columns that may be the outcome.
    """
    few = labels if len(labels) <= _MOST_SHOWN else ()
    found = (case_column(table, table[c], table[c], [c]) for c in few)
    case = next(filter(None, found), None)
    names = () if case is None else (case[0], *case[2])
    return dict(zip(("case", "reader", "modality"), map(str, names), strict=False))


def _is_cluster(column: str) -> bool:
    """Return whether the name of a column is that of an id or of clusters."""
    name = column.lower()
    parts = name.replace("_", " ").split()
    return any(word in parts or name in (word, f"{word}id", f"{word}s") for word in _CLUSTERS)


def _is_of_counts(table: Any) -> bool:
    return {"positives", "negatives"} <= {c.lower() for c in _unique(table)}


def _typed(command: str, file: str, arguments: Mapping[str, Any]) -> str:
    """Return a command as it is typed in a shell; the value of a switch is True."""
    words = ["pauci", command, file]
    for argument, value in arguments.items():
        if value is True:
            words.append(flag_of(argument))
        else:
            words += chain.from_iterable((flag_of(argument), text) for text in listed(value))
    return shlex.join(words)


def _command_of_counts(name: str, table: Any) -> str:
    """Return the command for a table of counts."""
    lower = {c.lower(): c for c in _unique(table)}
    counts = {kind: lower[kind] for kind in ("positives", "negatives")}
    score = lower.get("score", _unique(table)[0])
    return _typed("counts", name, {"scores": score, **counts, **_AUC})


def _commands(
    name: str,
    table: Any,
    label: str,
    scores: Sequence[str],
    of_study: Mapping[str, str],
) -> tuple[list[str], list[str]]:
    """Return the commands for the analyses that the columns support, and what must be checked."""
    unique = _unique(table)
    ratings = {c: order for c in unique[:_MOST_COLUMNS] if (order := order_in(table, c))}
    rows = _rows(table, label, scores)
    if of_study:  # which refuses rows with other labels
        rows.pop("negative", None)
    command, roles = ("readers" if of_study else "estimate"), {**of_study, **rows}
    rated = [
        _typed(command, name, {**roles, "scores": c, "category": " < ".join(order), **_AUC})
        for c, order in list(ratings.items())[: 1 if scores else None]
    ]
    if not scores:
        return rated, []
    scores, problems = _readable(table, rows, scores, of_study)
    if not scores:
        return [], problems
    first = {**roles, "scores": scores[0]}
    if of_study:
        return [_typed(command, name, {**first, **_AUC})], problems
    chosen = {**first, "maximize": "youden"}
    found = [_typed(command, name, {**first, **_AUC}), _typed("cutoff", name, chosen)]
    if len(scores) > 1:
        found.append(_typed("compare", name, {**rows, "scores": scores[:2], **_AUC}))
    risks = (c for c in scores if table[c].dropna().between(0, 1).all())
    found += [_typed("risks", name, {**rows, "scores": c}) for c in islice(risks, 1)]
    used = {label, *scores}
    groups = (c for c in unique if c not in used and table[c].nunique() in _GROUPS)
    found += [_typed(command, name, {**first, **_AUC, "by": c}) for c in islice(groups, 1)]
    return found + rated, problems


def _rows(table: Any, label: str, scores: Sequence[str]) -> dict[str, Any]:
    """Return the arguments about the rows for a label."""
    rows: dict[str, Any] = {"label": label}
    if not _is_conventional(table[label]):
        rows["positive"] = _positive(table, label)[0]
        levels = levels_of(table, label)
        if len(levels) > 2 and len(negative := _negative(levels)) == 1:
            rows["negative"] = negative[0]
    if table[[label, *scores[:2]]].isna().any(axis=None):
        rows["drop_missing"] = True
    return rows


def _readable(
    table: Any, rows: Mapping[str, Any], scores: Sequence[str], of_study: Mapping[str, str]
) -> tuple[list[str], list[str]]:
    """Return the scores that the package can read, and its messages about the others and codes."""
    readable, found = [], list[Message]()
    hint: dict[str, str] = {}
    if of_study:
        from pauci.readers.mrmc import HINT_ABOUT_CODES

        hint = {"hint": HINT_ABOUT_CODES}
    for score in scores[:_MOST_COLUMNS]:
        call = Call("doctor", [], {**rows, "scores": [score], "drop_missing": True}, [])
        with held_warnings() as held:
            try:
                warn_about_missing_codes(call.sample_in(table).ratings())
                if of_study:
                    call._replace(given={**call.given, **of_study}).study_in(table, ["readers"])
                readable.append(score)
            except (InputError, InputTypeError) as error:
                found.append(error)
        found += [w.replaced(**hint) for w in held if isinstance(w, MissingCodeWarning)]
    names = options_of(COMMANDS["readers" if of_study else "estimate"]["reads"], "")
    return readable, [as_options(str(message), names) for message in found]


def _reason(
    table: Any, labels: Sequence[str], scores: Sequence[str], of_study: Mapping[str, str]
) -> str:
    """Return why there is no command for a table, and what to do."""
    if not labels:
        return "none: no column can be a label (two values)."
    if scores:
        return "none: the data must be corrected first."
    used = {*labels, *of_study.values()}
    words = [c for c in _unique(table) if c not in used and _texts(table, c).nunique() in _WORDS]
    reason = "none: no column can be a score (a column of numbers)."
    if words:
        reason += (
            f" Ratings in words, such as those of {words[0]!r}, require --score and --category "
            "'... < ...', their values from the most negative to the most positive."
        )
    return reason


def distinct_counts(table: Any) -> dict[str, int]:
    """Return the number of distinct values of each column whose name does not repeat."""
    unique = set(_unique(table))
    return {c: column.nunique() for c, column in table.items() if c in unique}


def outcomes(distinct: Mapping[str, int]) -> list[str]:
    """Return the columns that may be the outcome: two values, or few and such a name."""
    named = {c for c, n in distinct.items() if 0 < n <= _MOST_LEVELS and _OUTCOME.search(c)}
    return [c for c, n in distinct.items() if n == 2 or (n > 2 and c in named)] or sorted(named)


def numbers(table: Any, distinct: Mapping[str, int]) -> list[str]:
    """Return the columns of numbers that may be scores."""
    kinds = dict(zip(table.columns, table.dtypes, strict=True))
    several = [c for c, n in distinct.items() if n >= FEWEST_SCORES and kinds[c].kind in "iuf"]
    return [c for c in several if not _is_cluster(str(c))]


def with_counts(table: Any, columns: Sequence[str]) -> str:
    """Return columns with their values and the numbers of rows."""
    shown = []
    for c in columns[:_MOST_SHOWN]:
        levels = [f"{name or text}: {n:,}" for text, name, n in levels_of(table, c)]
        shown.append(f"{c} ({', '.join(levels[:3])}{', ...' * (len(levels) > 3)})")
    more = len(columns) - len(shown)
    *first, last = [*shown, *[f"{more:,} others"] * (more > 0)]
    return f"{', '.join(first)}{' or ' * bool(first)}{last}"


def _unique(table: Any) -> list[str]:
    """Return the columns whose names do not repeat."""
    return list(table.columns[~table.columns.duplicated(keep=False)])


def _is_conventional(column: Any) -> bool:
    values = sorted(column.dropna().unique().tolist(), key=str)
    return values in ([0, 1], [-1, 1], [False, True])


def _positive(table: Any, label: str) -> tuple[str, bool]:
    """Return a value of the label as the positive one, and whether its name says so."""
    levels = levels_of(table, label)
    known, negative = positive_level(levels), _negative(levels)
    if len(levels) > 2 and len(negative) == 1:  # the most frequent of the others
        return max((n, text) for text, _, n in levels if text not in negative)[1], False
    return (known or [levels[-1][0]])[0], bool(known)


def _negative(levels: Levels) -> list[str]:
    """Return the values whose words are negative."""
    return [text for text, name, _ in levels if _NEGATIVE.fullmatch((name or text).strip())]


def levels_of(table: Any, label: str | None) -> Levels:
    """Return the values of a column; empty if there are many."""
    column = table.get(label)
    counts: Any = column.value_counts() if column is not None and column.ndim == 1 else {}
    if not 0 < len(counts) <= _MOST_LEVELS:
        return []
    names = table.attrs.get("value_labels", {}).get(label, {})
    return sorted((str(v), str(names.get(v, "")), int(n)) for v, n in counts.items())


def positive_level(levels: Levels) -> list[str]:
    """Return the one of two values that is positive because the other's words are negative."""
    words = [(name or text).strip() for text, name, _ in levels]
    letters = [other for n, other in _LETTERS if {w.lower() for w in words} == {n, other}]
    rest = [
        level[0]
        for level, word in zip(levels, words, strict=True)
        if (word.lower() in letters if letters else not _NEGATIVE.fullmatch(word))
    ]
    return rest if (len(levels), len(rest)) == (2, 1) else []


# Texts that are numbers or ratings

_WITH_UNIT = re.compile(r"\s*([+-]?[\d.,]*\d)\s*([^\d\s.,][^\d]*)?")
MOST_TEXTS = 5
"""Largest number of texts in a column of numbers that may be codes of missing values."""


def unit_of(table: Any, column: str) -> tuple[str, bool] | None:
    """Return the one unit in the cells of a column, and whether all cells with numbers have it."""
    units, others = set[str](), 0
    for cell in distinct_cells(_texts(table, column)):
        part = _WITH_UNIT.fullmatch(cell)
        others += part is None
        units |= set() if part is None else {(part[2] or "").strip()}
        if others > MOST_TEXTS or len(units) > 2:
            return None
    named = units - {""}
    if len(named) != 1 or order_in(table, column):
        return None
    return named.pop(), "" not in units


def _texts(table: Any, column: str) -> Any:
    """Return the cells of a column of texts; none of another column."""
    cells = table.get(column)
    is_text = cells is not None and cells.ndim == 1 and cells.dtype.kind not in "iufbM"
    return cells.dropna().astype(str) if is_text else table.iloc[:0, 0].astype(str)


def order_in(table: Any, column: str) -> list[str]:
    """Return the order of ratings such as 4a in a column; empty for another column."""
    return order_of_ratings(_texts(table, column))


def texts_in(table: Any, column: str) -> dict[str, int]:
    """Return the few texts in a column of numbers or ratings, with the numbers of their rows."""
    cells, order = _texts(table, column), order_in(table, column)
    of_numbers = _WITH_UNIT if unit_of(table, column) else NUMBER_LIKE
    texts = (text for text in distinct_cells(cells) if not of_numbers.fullmatch(text))
    first = {*islice((text for text in texts if text not in order), MOST_TEXTS + 1)}
    if of_numbers is NUMBER_LIKE and len(first) <= MOST_TEXTS:
        first = not_numbers(distinct_cells(cells)) - {*order}
    if not 0 < len(first) <= MOST_TEXTS or len(first) == cells.nunique():
        return {}
    return {text: int(n) for text, n in cells.value_counts().items() if text in first}
