"""Estimates and differences in JSON documents: what is written, and how it is read."""

import json
import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pauci
from pauci import checks, errors
from pauci.calls import (
    HelpfulAttributes,
    has,
    known,
    validate_call,
    validate_constructor,
    validate_methods,
)
from pauci.curve.region import Bounds
from pauci.errors import InputError, InputTypeError, PauciWarning
from pauci.intervals.analytic import Interval
from pauci.results import captions
from pauci.results.facts import scaled
from pauci.results.quantity import PoolingScale
from pauci.results.row import Row
from pauci.sample.rows import DataSizes
from pauci.tables.json_document import SCHEMA

_NUMBERS = ("value", "se", "df", "low", "high", "level")
_OTHERS = (
    *("name", "classifier", "measure", "region", "expression", "is_difference", "kind"),
    *("n_pos", "n_neg", "unit", "printed"),
)
"""What is written about a result, besides its labels, bounds and scale."""


def describe(row: Row) -> dict[str, Any] | None:
    """Return what a document states about an estimate or a difference; None for other rows."""
    q, record = row.quantity, row.record
    source = next(iter(known(q, "results", ())), q)  # the first of results pooled over imputations
    estimates = known(source, "estimates", (source,))
    if not all(has(e, "rows") and has(e, "classifier") for e in estimates):
        return None
    is_difference = len(estimates) > 1
    samples = estimates[:1] if known(source, "paired", True) else estimates
    label, place, factor = scaled(source.measure, record["region"])
    if source.measure.as_average is None:
        label = captions.name_on(source.measure, estimates[0].rest)
    return {
        "name": q.short_name,
        "labels": [str(name) for name in q.labels],
        "classifier": f"{source.first} - {source.second}" if is_difference else source.classifier,
        "measure": record["measure"],
        "region": record["region"],
        "expression": repr(source.measure),
        "is_difference": is_difference,
        **{key: record[key] for key in ("se", "df", "low", "high", "level", "kind")},
        "value": q.value,
        "n_pos": sum(e.n_pos for e in samples),
        "n_neg": sum(e.n_neg for e in samples),
        "unit": "row" if estimates[0].rows.clusters is None else "cluster",
        "bounds": q.bounds,
        "scale": {"kind": q.kind_of_pooling, "bounds": q.scale},
        "printed": {"name": label, "place": place, "factor": factor},
    }


@validate_constructor
@validate_methods
@dataclass(frozen=True, repr=False)
class StoredResult(HelpfulAttributes):
    """An estimate or a difference that was read from a document of `to_json`.

    Attributes
    ----------
    name : str
        Its name: the classifier, the measure and the group, as far as there are any.
    labels : tuple of str
        These names, by which it is selected.
    classifier : str
        Name of the classifier; of a difference ``"a - b"``.
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
        return DataSizes(self.n_pos, self.n_neg, classifier=self.classifier).as_values(
            group=self.name
        )

    @property
    def cautions(self) -> tuple[PauciWarning, ...]:
        """The warnings in the document, of one result those about it."""
        return tuple(
            getattr(errors, c["category"], PauciWarning)(c["message"])
            for c in self.document.get("cautions", ())
            if c["classifier"] in (None, self.classifier)
            and c["measure"] in (None, self.expression)
        )


@validate_call
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
        measure, or the number of its row, from 0.

    Returns
    -------
    StoredResult
        With ``value``, ``se``, ``interval()`` at the stored level, ``measure``, ``bounds`` and
        other attributes, which `meta` pools.

    Raises
    ------
    ValueError
        If the file cannot be read, is no such document, or has another version of the schema; if it
        has several results and none is selected; or if it has no estimate or difference.

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
    chosen = found
    if select is not None:
        names = [(str(i), r.name, *r.labels) for i, r in enumerate(found)]
        chosen = [r for r, of_result in zip(found, names, strict=True) if str(select) in of_result]
    if len(chosen) == 1:
        return chosen[0]
    listed = "; ".join(f"{i}: {r.name}" for i, r in enumerate(found[:20]))
    if select is None:
        hint = f"Pass select={found[0].name!r} or select=0."
        problem = f"has {len(found)} results, of which one has to be selected: {listed}."
        raise InputError.about("document", problem, hint=hint)
    problem = f"selects {len(chosen) or 'none'} of the results: {listed}."
    raise InputError.of("select", select, problem)


def _unreadable(problem: str) -> InputError:
    return InputError.about("document", f"{problem}.")


def _documents(document: Any) -> list[Any]:
    """Return the documents of a file or text; that of a command may have several, by title."""
    if not isinstance(document, (Mapping, str, os.PathLike)):
        problem = "must be the path of a document, or its text."
        raise InputTypeError.about("document", problem, value=document)
    if not isinstance(document, Mapping):
        try:
            is_text = isinstance(document, str) and document.lstrip()[:1] in ("{", "[")
            text = str(document) if is_text else Path(document).read_text(encoding="utf-8")
            document = json.loads(text)
        except OSError as error:
            problem = f"cannot be read: {error.strerror}."
            raise InputError.of("document", str(document), problem) from None
        except ValueError as error:  # no UTF-8, or no JSON
            raise _unreadable(f"is not JSON ({error})") from None
    several = list(document.values()) if isinstance(document, Mapping) else []
    titled = bool(several) and all(isinstance(v, Mapping) and "schema" in v for v in several)
    return several if titled else [document]


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
        if q is None:
            continue
        try:
            yield _result(document, q)
        except KeyError as error:
            raise _unreadable(f"lacks {error} of row {number}") from None
        except (TypeError, ValueError) as error:
            raise _unreadable(f"has an invalid row {number} ({error})") from None


def _result(document: Mapping[str, Any], q: Mapping[str, Any]) -> StoredResult:
    """Return the result that a document describes."""

    def real(value: Any) -> float:
        return math.nan if value is None else float(value)

    found: dict[str, Any] = {key: q[key] for key in _OTHERS}
    return StoredResult(
        **found | {key: real(q[key]) for key in _NUMBERS},
        labels=tuple(q["labels"]),
        bounds=Bounds(*map(real, q["bounds"])),
        scale=PoolingScale(q["scale"]["kind"], Bounds(*map(real, q["scale"]["bounds"]))),
        document=document,
    )
