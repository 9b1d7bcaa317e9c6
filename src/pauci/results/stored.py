"""Estimates and differences in JSON documents: what is written, and how it is read."""

import json
import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import pauci
from pauci import calls, checks, errors
from pauci.curve.region import Bounds
from pauci.errors import InputError, InputTypeError, PauciWarning
from pauci.intervals.analytic import Interval
from pauci.results import captions
from pauci.results.facts import scaled
from pauci.results.quantity import PoolingScale, Row
from pauci.sample.rows import DataSizes
from pauci.tables.json_document import SCHEMA

_OF_ROW = ("measure", "region", "se", "df", "low", "high", "level", "kind")
"""Fields that a document takes from the row unchanged."""


def describe(row: Row) -> dict[str, Any] | None:
    """Return the entry of a document for an estimate or a difference; None for other rows."""
    q, record = row.quantity, row.record
    analysis = row.more.get("analysis")  # of readers, of whom the quantity is an average
    if analysis is not None:
        source, estimates, is_difference = analysis, (analysis.study,), bool(q.second)
        classifier, kind = q.words, q.kind_of_pooling if is_difference else q.analytic_kind
    else:
        source = next(iter(calls.known(q, "results", ())), q)  # the first of those of imputed data
        estimates = calls.known(source, "estimates", (source,))
        if not all(calls.has(e, "rows") and calls.has(e, "classifier") for e in estimates):
            return None
        is_difference, kind = len(estimates) > 1, q.kind_of_pooling
        classifier = f"{source.first} - {source.second}" if is_difference else source.classifier
    samples = estimates[:1] if calls.known(source, "paired", True) else estimates
    label, place, factor = scaled(source.measure, record["region"])
    if source.measure.as_average is None:
        label = captions.name_on(source.measure, estimates[0].rest)
    return {
        "name": q.short_name,
        "labels": [str(name) for name in q.labels],
        "classifier": classifier,
        "expression": repr(source.measure),
        "is_difference": is_difference,
        "value": q.value,
        **{key: record[key] for key in _OF_ROW},
        "n_pos": sum(e.n_pos for e in samples),
        "n_neg": sum(e.n_neg for e in samples),
        "unit": "row" if estimates[0].rows.clusters is None else "cluster",
        "bounds": q.bounds,
        "scale": {"kind": kind, "bounds": q.scale},
        "printed": {"name": label, "place": place, "factor": factor},
    }


@calls.validate_constructor
@calls.validate_methods
@dataclass(frozen=True, repr=False)
class StoredResult(calls.HelpfulAttributes):
    """An estimate or a difference that was read from a document of `to_json`.

    Attributes
    ----------
    name : str
        Its name: the classifier, the measure and the group, if there are any.
    labels : tuple of str
        These names, by which it is selected.
    classifier : str
        Name of the classifier; ``"a - b"`` for a difference.
    measure, region : str
        Symbol of the measure, and the region in words.
    expression : str
        The measure as it is written in Python, such as ``"PAUC(fpr=(0, 0.1))"``.
    value, se, df : float
        The value, its standard error and degrees of freedom.
    low, high, level, kind
        The stored interval, its level and kind.
    n_pos, n_neg : int
        Numbers of positives and of negatives.
    bounds : Bounds
        Smallest and largest possible value.
    unit : str
        The independent unit, ``"row"`` or ``"cluster"``.
    scale : PoolingScale
        The scale of the intervals, on which `meta` pools values.
    is_difference : bool
        Whether the value is a difference.
    printed : dict
        Name and place of the printed value, and the factor by which the value is multiplied.
    document : dict
        The whole document.
    """

    name: str
    labels: tuple[str, ...]
    classifier: str
    measure: str
    region: str
    expression: str
    value: float
    se: float
    df: float
    low: float
    high: float
    level: float
    kind: str
    n_pos: int
    n_neg: int
    bounds: Bounds
    unit: str
    scale: PoolingScale
    is_difference: bool
    printed: Mapping[str, Any] = field(compare=False)
    document: Mapping[str, Any] = field(compare=False)

    def __repr__(self) -> str:
        return f"StoredResult({self.name}: {self.value:.4g}, SE {self.se:.2g})"

    def interval(self, level: float | None = None) -> Interval:
        """Return the stored interval.

        Parameters
        ----------
        level : float, optional
            The level; only the stored one is known.

        Raises
        ------
        ValueError
            For another level.
        """
        if level is not None and checks.level(level) != self.level:
            problem = f"is not the level of the document, which is {self.level:g}."
            raise InputError.of("level", level, problem, hint="Write it with to_json(level=).")
        return Interval(self.low, self.high)

    @property
    def sizes_as_values(self) -> dict[str, Any]:
        """The sizes by name, as in `to_dict`."""
        sizes = DataSizes(self.n_pos, self.n_neg, classifier=self.classifier)
        return sizes.as_values(group=self.name)

    @property
    def cautions(self) -> tuple[PauciWarning, ...]:
        """The warnings in the document that are about this result."""
        about = {None, self.classifier, self.expression}
        found = [
            c for c in self.document.get("cautions", ()) if {c["classifier"], c["measure"]} <= about
        ]
        return tuple(getattr(errors, c["category"], PauciWarning)(c["message"]) for c in found)


@calls.validate_call
def read_result(
    document: "str | os.PathLike[str] | Mapping[str, Any]", select: "str | int | None" = None
) -> StoredResult:
    """Read an estimate or a difference from a document that ``to_json`` wrote.

    Parameters
    ----------
    document : str, path or dict
        The path of the document, or its text, or the result of ``to_dict``. Documents of the
        command line (``--format json``) have the same form.
    select : str or int, optional
        One of several results in the document: a name, such as that of the classifier or the
        measure, or its number, from 0. Those of a reader study are the averages over the readers,
        by modality, and their differences, such as ``"digital - film"``.

    Returns
    -------
    StoredResult
        With ``value``, ``se``, ``interval()`` at the stored level, ``measure``, ``bounds`` and
        other attributes, which `meta` pools.

    Raises
    ------
    ValueError
        If the file cannot be read, is not such a document, or has another version of the schema; if
        it has several results and none is selected; or if it has no estimate or difference.

    Notes
    -----
    Numbers in the document have all digits, so that the values are exactly those that were written.
    The JSON Schema of documents is `_static/result.schema.json` of the documentation site.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
    >>> text = pauci.estimate(sample, pauci.AUC()).to_json()
    >>> result = pauci.read_result(text)
    >>> result
    StoredResult(score, AUC: 0.8333, SE 0.053)
    >>> result.interval()
    Interval(low=0.6971, high=0.9157)
    """
    found = [r for single in _documents(document) for r in _results_in(single)]
    if not found:
        raise _unreadable("has no estimate or difference")
    names = [(str(i), r.name, *r.labels) for i, r in enumerate(found)]
    chosen = [r for i, r in enumerate(found) if select is None or str(select) in names[i]]
    if len(chosen) == 1:
        return chosen[0]
    listed = "; ".join(f"{i}: {r.name}" for i, r in enumerate(found[:20]))
    if select is None:
        hint = f"Pass select={found[0].name!r} or select=0."
        raise _unreadable(f"has {len(found)} results, select one of them: {listed}", hint)
    problem = f"selects {len(chosen) or 'none'} of the results: {listed}."
    raise InputError.of("select", select, problem)


def _unreadable(problem: str, hint: str = "") -> InputError:
    return InputError.about("document", f"{problem}.", hint=hint)


def _documents(document: Any) -> list[Any]:
    """Return the documents of a file or text; that of a command may have several, by title."""
    if isinstance(document, (str, os.PathLike)):
        try:
            is_text = isinstance(document, str) and document.lstrip()[:1] in ("{", "[")
            text = str(document) if is_text else Path(document).read_text(encoding="utf-8")
            document = json.loads(text)
        except OSError as error:
            problem = f"cannot be read: {error.strerror}."
            raise InputError.of("document", str(document), problem) from None
        except ValueError as error:  # no UTF-8, or no JSON
            raise _unreadable(f"is not JSON ({error})") from None
    elif not isinstance(document, Mapping):
        problem = "must be the path of a document, or its text."
        raise InputTypeError.about("document", problem, value=document)
    has_titles = isinstance(document, Mapping) and document and "schema" not in document
    return list(document.values()) if has_titles else [document]


def _results_in(document: Any) -> Iterator[StoredResult]:
    """Yield the estimates and differences of a document of this version of the schema."""
    if not isinstance(document, Mapping) or "schema" not in document:
        raise _unreadable("has no key 'schema', so that to_json of this package did not write it")
    if document["schema"] != SCHEMA:
        problem = f"has version {document['schema']} of the schema"
        raise _unreadable(f"{problem}; pauci {pauci.__version__} reads version {SCHEMA}")
    if not document.get("quantities"):
        written = f"{document.get('result')} of pauci {document.get('versions', {}).get('pauci')}"
        raise _unreadable(f"has no 'quantities', as estimates and differences have ({written})")
    for number, q in enumerate(document["quantities"]):
        try:
            if q is not None:
                values = {f.name: _read(f.type, q[f.name]) for f in fields(StoredResult)[:-1]}
                yield StoredResult(**values, document=document)
        except (KeyError, TypeError, ValueError) as error:
            raise _unreadable(f"has an incomplete or invalid row {number} ({error!r})") from None


def _read(kind: Any, value: Any) -> Any:
    """Return the value of a field of this type."""
    if kind is float:
        return math.nan if value is None else float(value)
    if kind is Bounds:
        return Bounds(*(_read(float, end) for end in value))
    if kind is PoolingScale:
        return PoolingScale(value["kind"], _read(Bounds, value["bounds"]))
    return tuple(value) if kind == tuple[str, ...] else value
