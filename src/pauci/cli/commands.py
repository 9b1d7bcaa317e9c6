"""The commands, each of which calls a public function with the arguments of the command line.

A command is an entry of `COMMANDS`: the functions whose arguments are its options, and a function
that calls them and returns the results. The options and the help follow from the functions.
"""

import inspect
import textwrap
from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import click

import pauci
from pauci.checks import listed, nearest
from pauci.cli import options, output
from pauci.cli.output import Output, Result, write_figure, write_line
from pauci.cli.samples import Call, first_group, name_of, reader_plans
from pauci.errors import InputError
from pauci.files.read_table import PREFIX, read_table
from pauci.measures.classes import ClassMeasure
from pauci.sample.sample import Sample


class Command(NamedTuple):
    """A command.

    Attributes
    ----------
    run : callable
        Returns the results of a `Call`; None if it writes the output itself.
    functions : str
        Public functions whose arguments are options; the first describes the command.
    example : str
        The arguments of an example.
    options : str
        Options that are no arguments of these functions, besides those of the destination.
    reads : str
        The functions that make samples or studies of the files.
    without : str
        Arguments that are no options.
    """

    run: Callable[[Call], "Sequence[Result] | None"]
    functions: str
    example: str
    options: str = "level kind plot dpi"
    reads: str = "Sample.from_frame Sample.from_counts Sample.from_survival"
    without: str = ""


def _shown(call: Call, *names: str) -> dict[str, Any]:
    """Return the values of options that were given, by default level and kind of intervals."""
    return {name: call.given[name] for name in names or ("level", "kind") if name in call.given}


def _single(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values


# Estimates and comparisons


def _by_group(
    call: Call, function: Callable[..., Any], samples: Any, measures: Any, noun: str
) -> list[Result]:
    """Return the results of a function in all rows, or by each grouping."""
    shown, results = _shown(call), []
    for column in call.grouped_by:
        reference = first_group(samples, column, call.given.get("reference"))
        result = call.apply(function, samples, measures, by=column, reference=reference)
        results.append(Result(f"{noun} by {column}", result, shown))
        if Output.of(call.given).form in ("csv", "json"):
            results.append(Result(f"gaps by {column}", result.gaps, _shown(call, "level")))
    if results:
        write_figure(call.given, pauci.plot.forest, results[0].result, **shown)
        return results
    result = call.apply(function, samples, measures)
    _draw_estimates(call, samples, measures, result)
    return [Result("", result, shown)]


def _estimate(call: Call) -> list[Result]:
    """Return estimates, with their tests against null= and their ranks with best=."""
    results = _by_group(call, pauci.estimate, call.sample(), call.measures, "estimates")
    estimates = results[0].result
    if "null" in call.given:
        results.append(Result("tests", call.apply(estimates.tests), _shown(call)))
    elif given := [name for name in ("alternative", "adjust") if name in call.given]:
        raise InputError.of(given[0], call.given[given[0]], "requires null=, the value to test.")
    if "best" in call.given:
        results.append(Result("ranks", call.apply(estimates.ranks), {}))
    first = results[0].title or "estimates" * (len(results) > 1)
    return [results[0]._replace(title=first), *results[1:]]


def _draw_estimates(call: Call, samples: Any, measures: Any, result: Any) -> None:
    """Draw the curve of a measure to the file of a figure, or a forest plot.

    A forest plot is drawn for several measures, and for folds, which have no common curve.
    """
    if "plot" not in call.given:
        return
    several = isinstance(measures, list) and len(measures) > 1
    measure = measures[0] if isinstance(measures, list) else measures
    in_folds = isinstance(samples, Sample) and samples.rows.has_folds
    shown = _shown(call)
    is_curve = getattr(measure, "has_region", False) and not isinstance(measure, ClassMeasure)
    if in_folds or several or not is_curve:
        write_figure(call.given, pauci.plot.forest, result, **shown)
        return
    from pauci.intervals.analytic import BOOTSTRAP_KINDS, ESTIMATE_KINDS

    if shown.get("kind") not in (*ESTIMATE_KINDS, *BOOTSTRAP_KINDS):
        shown.pop("kind", None)  # estimates do not have every kind of a difference
    write_figure(call.given, getattr(pauci.plot, measure.figure), samples, result, **shown)


def _counts(call: Call) -> list[Result]:
    """Estimate measures of tables of counts, and compare independent tables.

    Each FILE has a row per category, with the columns score, positives and negatives, or those of
    the options, or a column for each of several ordered classes; with group= it has several
    tables. With cells= the four numbers of one test give
    sensitivity, specificity, predictive values and likelihood ratios.
    """
    shown = _shown(call, "level", "kind")
    if "cells" in call.given:
        if call.files:
            raise InputError.of("cells", None, "is a table; omit FILE.", shown="")
        return [Result("", _accuracy(call), shown)]
    samples, measures = call.samples(), call.measures
    estimates = call.apply(pauci.estimate, samples, measures)
    results = [Result("estimates", estimates, shown)]
    if len(samples) > 1:
        comparisons = call.apply(pauci.compare, samples, _single(measures))
        results.append(Result("comparisons", comparisons, _shown(call, "level")))
    _draw_estimates(call, samples, measures, estimates)
    return results


def _accuracy(call: Call) -> Any:
    """Return the accuracy of a test with two results."""
    cells = call.given["cells"]
    if len(cells) != 4 or any(not isinstance(n, int) or n < 0 for n in cells):
        raise InputError.of("cells", None, "must be four counts: TP FP FN TN.", shown="")
    true_pos, false_pos, false_neg, true_neg = cells
    arguments = call.arguments(Sample.from_counts, "scores", "positives", "negatives")
    sample = Sample.from_counts(
        [1, 0], [true_pos, false_neg], [false_pos, true_neg], **{"name": "test", **arguments}
    )
    share = {"prevalence": call.given["prevalence"]} if "prevalence" in call.given else {}
    measures = [
        pauci.Sensitivity(threshold=1),
        pauci.Specificity(threshold=1),
        pauci.PPV(threshold=1, **share),
        pauci.NPV(threshold=1, **share),
        pauci.LRPositive(threshold=1),
        pauci.LRNegative(threshold=1),
    ]
    return pauci.estimate(sample, measures)


# One curve


def _drawn(call: Call, result: Any, *names: str) -> list[Result]:
    """Return a result, whose figure is written to the file of plot=, if it was given."""
    shown = _shown(call, *names)
    write_figure(call.given, result.plot, **shown)
    return [Result("", result, shown)]


def _band(call: Call) -> list[Result]:
    result = call.apply(pauci.band, call.samples())
    write_figure(call.given, result.plot)
    return [Result("", result, {})]


def _each_classifier(call: Call) -> list[Sample]:
    """Return a sample of each classifier."""
    return [sample[name] for sample in call.samples() for name in sample.names]


def _titled(call: Call, titles: Sequence[str], results: Sequence[Any]) -> list[Result]:
    """Return results with their titles, which a single result does not have."""
    titles, shown = titles if len(results) > 1 else [""], _shown(call, "level")
    return [Result(title, r, shown) for title, r in zip(titles, results, strict=True)]


def _check_one_figure(call: Call, drawn: Sequence[Any], problem: str) -> None:
    """Raise an error if a figure of several results is requested."""
    if "plot" in call.given and len(drawn) > 1:
        raise InputError.of("plot", call.given["plot"], problem)


def _points(call: Call) -> list[Result]:
    from pauci.analyses.operating_points import points_to_show

    chosen = call.arguments(pauci.operating_points).keys() - {"prevalence"}
    function: Callable[..., Any] = pauci.operating_points if chosen else points_to_show
    samples = _each_classifier(call)
    results = [call.apply(function, sample) for sample in samples]
    write_figure(call.given, pauci.plot.operating_points, results, **_shown(call, "level"))
    return _titled(call, [f"operating points of {s.names[0]}" for s in samples], results)


def _chosen(call: Call, sample: Sample) -> Any:
    """Return the cut-off of a score, by the groups of rows if there are any."""
    by = call.given.get("by", call.given.get("group"))
    return call.apply(pauci.cutoff, sample, by=by)


def _cutoff(call: Call) -> list[Result]:
    samples = _each_classifier(call)
    results = [_chosen(call, sample) for sample in samples]
    _check_one_figure(call, results, "draws the cut-offs of one score.")
    write_figure(call.given, results[0].plot, **_shown(call, "level"))
    return _titled(call, [f"cut-off of {s.names[0]}" for s in samples], results)


def _validate(call: Call) -> list[Result]:
    """Choose a cut-off in the first FILE, and test it in the others.

    The rule and the column of the score are those of pauci cutoff. The output has the sensitivity,
    specificity and AUC in all files, with their changes, and the predictive values in the others.
    """
    if len(call.files) < 2:
        raise InputError("two FILES are required: the development data and a new cohort.")
    score = listed(call.given.get("scores", "score"))[0]
    development, *cohorts = call._replace(given={"name": score, **call.given}).samples()
    names = [name_of(file) for file in call.files[1:]]
    new = zip(names if len({*names}) == len(names) else call.files[1:], cohorts, strict=True)
    result = _chosen(call, development).validate(dict(new), risks="risks" in call.given)
    return _drawn(call, result, "level")


def _risks(call: Call) -> list[Result]:
    sample, shown = call.sample(), _shown(call, "level")
    horizons = getattr(sample, "horizons", ())
    samples = [sample.at(t) for t in horizons] or [sample]
    tables = [call.apply(pauci.risk_table, s) for s in samples]
    _check_one_figure(call, samples, "draws the risks at one horizon.")
    at = _shown(call, "level", "probability")
    write_figure(call.given, pauci.plot.risk_panels, samples[0], **at)
    titles = [f"risks at horizon {t}" for t in horizons] or [""]
    return [Result(*titled, shown) for titled in zip(titles, tables, strict=True)]


def _fit(call: Call) -> list[Result]:
    models = list(dict.fromkeys(listed(call.given.get("model", "binormal"))))
    fits = [_fitted(call, sample, name) for sample in _each_classifier(call) for name in models]
    results: dict[str, Any] = {f"{fit.model.title} fit of {fit.classifier}": fit for fit in fits}
    if "measure" in call.given:
        results["estimates"] = pauci.estimate(fits, call.measures)
        if len(fits) > 1 and len(models) == 1:
            test = _shown(call, "null", "alternative", "adjust")
            results["comparisons"] = pauci.compare(fits, _single(call.measures), **test)
    write_figure(call.given, pauci.plot.fitted, fits, **_shown(call, "level"))
    return _titled(call, list(results), list(results.values()))


def _fitted(call: Call, sample: Sample, model: str) -> Any:
    """Return the fit of a model to the curve of a classifier."""
    from pauci.fits.fit import warn_about_fit

    if model not in ("binormal", "proper", "contaminated"):
        raise InputError.of("model", model, "must be binormal, proper or contaminated.")
    fit = getattr(pauci, f"fit_{model}")(sample, **call.arguments(pauci.fit_binormal))
    warn_about_fit(fit.goodness, fit.model, fit.classifier)
    return fit


# Readers


def _readers(call: Call) -> list[Result]:
    study, measures = call.study(), call.measures
    _check_one_figure(call, measures, "draws one measure.")
    of_lesions = ["weights"] * ("marks" in call.given)  # the weights are those of lesions
    options = call.arguments(pauci.mrmc, "measure", *of_lesions)
    results = [pauci.mrmc(study, m, **options) for m in measures]
    shown, form = _shown(call, "level"), Output.of(call.given).form
    write_figure(call.given, results[0].plot, **shown)
    write_figure(call.given, pauci.plot.reader_curves, study, option="curves")
    if "output" in call.given:
        write_line("\n\n".join(r.report(**shown) for r in results))
    if form == "json":
        return _titled(call, [f"{r.measure.label} {r.region}".strip() for r in results], results)
    if form != "csv":
        return [Result("", part, shown) for r in results for part in (r, r.by_reader)]
    import pandas as pd

    frames = [result.to_frames(**shown) for result in results]
    parts = []
    for name in frames[0]:
        if results[0].contrasts or name != "differences":
            joined = pd.concat([f[name] for f in frames], ignore_index=True)
            parts.append(Result(name, SimpleNamespace(to_frame=joined.copy), {}))
    return parts


# Studies


def _meta_accuracy(call: Call) -> list[Result]:
    table = call.one_table("FILE, the file with a row for each study, is missing.")
    return _drawn(call, call.apply(pauci.meta_accuracy, table), "level")


def _meta(call: Call) -> list[Result]:
    """Pool the results of several studies: each FILE is a JSON document of this package."""
    names = [Path(file).stem for file in call.files]
    if len(set(names)) < len(names):
        names = [f"{i}: {file}" for i, file in enumerate(call.files, 1)]
    read = [call.apply(pauci.read_result, file) for file in call.files]
    results = dict(zip(names, read, strict=True))
    return _drawn(call, call.apply(pauci.meta, results), "level")


# Planning


def _pilot(call: Call) -> Any:
    """Return the pilot in FILE, or the scores or risks that are assumed."""
    of_risks, of_scores = (call.arguments(f) for f in (pauci.assumed_risks, pauci.binormal))
    only_risks = [name for name in of_risks if name not in of_scores]
    create: Callable[[], Any] = partial(pauci.binormal, **of_scores)
    others, problem = [], ""
    if call.files:
        create, others = call.sample, [n for n in (*of_risks, "correlation") if n in call.given]
        problem = "is an assumption, but FILE has a pilot study; omit one of them."
    elif only_risks:
        create = partial(pauci.assumed_risks, **of_risks)
        others = [name for name in of_scores if name not in of_risks]
        problem = f"is for assumed scores, but {only_risks[0]}= is for assumed risks."
    elif not of_risks:
        problem = "a plan requires FILE with a pilot study, or an assumption, such as auc=."
        raise InputError(problem, argument="auc")
    for name in others:
        raise InputError.of(name, call.given[name], problem)
    return create()


def _plan(call: Call) -> list[Result]:
    """Plan a study: its size for a power or for the width of an interval, or the power of a size.

    The plan is made from assumptions, such as the AUC, or from a pilot study in FILE: rows with a
    label, or readings with a reader and a case. With the sizes of the study, the result is its
    power and the width of the interval.
    """
    from pauci.analyses.sample_size import plans_at

    if len(call.measures) > 1:
        raise InputError("a plan is for one measure=.", argument="measure")
    measure = call.measures[0]
    sizes = [n for n in ("n_pos", "n_neg", "positives", "negatives") if n in call.given]
    goals = [n for n in ("power", "width", "ratio") if n in call.given]
    if sizes and goals:
        problem = f"is for a required size, but {sizes[0]}= specifies it; omit one of them."
        raise InputError.of(goals[0], call.given[goals[0]], problem)
    if "case" in call.given:
        options = call.arguments(pauci.mrmc, "measure", "readers", "null", "alternative")
        analysis = pauci.mrmc(call.study(), measure, **options)
        return [Result("", reader_plans(call, analysis, sized=bool(sizes)), {})]
    if not sizes:
        return [Result("", call.apply(pauci.sample_size, _pilot(call), measure), {})]
    for name in ("n_pos", "n_neg"):
        call.required(name, ", the number of a class")
    plans = call.apply(plans_at, _pilot(call), measure)
    titles = ["power", "width"] if len(plans) > 1 else [""]
    return [Result(title, plan, {}) for title, plan in zip(titles, plans, strict=True)]


# Pages


def _report(call: Call) -> None:
    """Write the report of a file: its data, estimates and comparisons, to the file of output=.

    FILE has a row per observation; for a reader study, a row per reading, with case=. Ratings and
    thresholds have operating points. With the options of pauci.cutoff that choose a cut-off from
    the data, such as maximize=, the report has that cut-off.
    """
    from pauci.report import page
    from pauci.report.contents import Contents
    from pauci.tables.json_document import check_writable, write_file

    path = call.given.get("output", "")
    end = page.end_of(path, "output")
    check_writable(path, "output")
    title = page.checked_title(call.given.get("title"))
    if "case" in call.given:
        study = call.study()
        results = [call.apply(pauci.mrmc, study, measure) for measure in call.measures]
    else:
        results = _reported(call)
    contents = Contents(results, call.given.get("level", 0.95), call.given.get("kind"))
    style = call.given.get("style", "plain")
    origin: dict[str, str] = {}
    for file in call.files:
        found = Path(file).is_file()
        origin |= dict([page.hash_of(file)]) if found else {f"Data: {file}": "not a file"}
    origin["Call"] = output.command()
    write_file(path, page.report(contents, end, title, origin, style), "output")


def _reported(call: Call) -> list[Any]:
    """Return the samples of a report, and the results of public functions about them."""
    samples, measures = call.samples(), _single(call.measures)
    sample = samples[0] if len(samples) == 1 else samples
    of_groups = ("measure", "by", "reference", "skip_small")
    estimated = call.arguments(pauci.estimate, *of_groups)
    compared = call.arguments(pauci.compare, *of_groups)
    results: list[Any] = list(samples)
    names = [name for s in samples for name in s.names]
    if len(names) > 1:
        comparisons = pauci.compare(sample, measures, **{"adjust": "holm", **compared})
        listed = [comparisons] if isinstance(comparisons, pauci.Comparison) else comparisons
        found = {(e.classifier, e.measure): e for c in listed for e in c.estimates}
        results += sorted(found.values(), key=lambda e: names.index(e.classifier))
        results.append(comparisons)
    else:
        results.append(pauci.estimate(sample, measures, **estimated))
    for column in call.grouped_by:
        groups: dict[str, Any] = {"by": column, "skip_small": "skip_small" in call.given}
        groups["reference"] = first_group(sample, column, call.given.get("reference"))
        results.append(pauci.estimate(sample, measures, **estimated, **groups))
        if len(names) > 1:
            results.append(pauci.compare(sample, measures, **compared, **groups))
    return [*results, *_decisions(call, samples)]


def _decisions(call: Call, samples: Sequence[Sample]) -> list[Any]:
    """Return the points, cut-offs and predicted risks of a report."""
    from pauci.analyses.band import is_scale
    from pauci.cutoffs.choose import youdens_cutoff_if_any

    prevalence = next(filter(None, (getattr(m, "prevalence", None) for m in call.measures)), None)
    points = {"prevalence": prevalence, **call.arguments(pauci.operating_points)}
    chosen = call.arguments(pauci.cutoff, "specificity", "sensitivity", "by", "skip_small")
    results: list[Any] = []
    for one in [s[name] for s in samples for name in s.names]:
        if points.keys() - {"prevalence"}:
            results.append(pauci.operating_points(one, **points))
        elif not one.rows.has_folds and is_scale(one.ratings()):
            results += [pauci.operating_points(one, **points), youdens_cutoff_if_any(one)]
        if chosen.keys() & {"maximize", "equal", "cost"}:
            results.append(pauci.cutoff(one, **chosen))
    if any(getattr(m, "of_risks", False) for m in call.measures):
        at = [m.probability for m in call.measures if isinstance(m, pauci.NetBenefit)] or None
        results += [pauci.risk_table(s, probability=at, prevalence=prevalence) for s in samples]
    return [result for result in results if result is not None]


def _app(call: Call) -> None:
    """Analyse a file in the browser: choose columns, see the results, download tables and report.

    The page is on this computer only: nobody else can open it, and no data leave the computer. The
    address has a secret token and is valid until the command is stopped by Ctrl+C.
    """
    from pauci.errors import install_advice
    from pauci.files.read_table import content_of

    content = content_of(call.files[0]) if call.files else None
    try:
        from pauci.cli import app
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in ("starlette", "multipart", "uvicorn", "h11"):
            raise
        raise InputError(
            f"the app requires {package}, which is not installed.", hint=install_advice("app")
        ) from None
    port = call.given.get("port") or 0
    app.serve(content, port, write_line, browser="no_browser" not in call.given)


def _demo(_: Call) -> None:
    """Run an example with bundled data: two classifiers of breast biopsies."""
    sample = Sample.from_frame(
        pauci.datasets.load_wisconsin_scores(), "malignant", ["nn", "lda"], 1
    )
    write_line(
        "699 breast biopsies, 241 malignant; cross-validated scores of a neural\n"
        "network (nn) and of linear discriminant analysis (lda). Which is better?\n"
    )
    test = pauci.compare(sample, [pauci.AUC(), pauci.PAUC(fpr=(0, 0.1))])
    write_line(f"{test.summary()}\n")
    for sentence in test.report().split("\n"):
        write_line(textwrap.fill(sentence, 78, break_on_hyphens=False))


def _doctor(call: Call) -> None:
    """Describe a file: its columns, and the analyses that they support with their commands."""
    from pauci.cli.doctor import described

    table = call.one_table("FILE, the file to describe, is missing.")
    write_line(described(call.files[0], table, call.given.get("label")))


_ROWS, _STUDY = "Sample.from_frame", "ReaderStudy.from_frame"
_ROWS_OR_CLASSES = f"{_ROWS} Sample.from_classes Sample.from_counts Sample.from_survival"
_LJUBLJANA = "example:ljubljana_scores --label recurrence --score svm"
_DCURVES = "example:dcurves --label cancer --score cancerpredmarker"
_VIPER = (
    "example:viper_screening --reader reader --modality modality --case case "
    "--label cancer_365 --score score --measure auc"
)
_DRAWN = "level plot dpi"

COMMANDS = {
    "estimate": Command(
        _estimate,
        "estimate Estimates.tests Estimates.ranks",
        f'{_LJUBLJANA} --measure "PAUCc(specificity=(0.9, 1))"',
        reads=_ROWS_OR_CLASSES,
        without="progress",
    ),
    "compare": Command(
        lambda call: _by_group(
            call, pauci.compare, call.sample(), _single(call.measures), "comparisons"
        ),
        "compare",
        f'{_LJUBLJANA} --score nn --measure "PAUCc(fpr=(0, 0.1))"',
        reads=_ROWS_OR_CLASSES,
    ),
    "points": Command(
        _points, "operating_points", f"{_LJUBLJANA} --threshold 0 --prevalence 0.2", _DRAWN
    ),
    "cutoff": Command(_cutoff, "cutoff", f"{_DCURVES} --maximize youden", _DRAWN),
    "validate": Command(
        _validate,
        "cutoff Cutoff.validate",
        "development.csv berlin.csv --label cancer --score marker --specificity 0.95",
        _DRAWN,
        without="new development",
    ),
    "risks": Command(
        _risks,
        "risk_table",
        f"{_DCURVES} --probability 0.1",
        _DRAWN,
        f"{_ROWS} Sample.from_survival",
    ),
    "profile": Command(
        lambda call: _drawn(call, call.apply(pauci.profile, call.sample())),
        "profile",
        f'{_LJUBLJANA} --edges "(0, 0.1, 0.3, 1)"',
    ),
    "scan": Command(
        lambda call: _drawn(call, call.apply(pauci.scan, call.sample(), call.measures[0])),
        "scan",
        f'{_LJUBLJANA} --score nn --measure paucc --fpr "(0.1, 0.2, 0.4, 0.8)"',
    ),
    "band": Command(_band, "band", f'{_LJUBLJANA} --fpr "(0, 0.3)"', "plot dpi"),
    "fit": Command(
        _fit,
        "fit_binormal compare",
        "example:hanley_mcneil --positives positives --negatives negatives "
        '--measure "PAUC(fpr=(0, 0.2))"',
        f"{_DRAWN} model",
        without="variance pair independent shared_clusters conservative by reference "
        "skip_small baseline",
    ),
    "counts": Command(
        _counts,
        "estimate compare",
        "--cells 90 20 10 180",
        "level kind plot dpi cells group prevalence",
        "Sample.from_counts",
        "by reference skip_small",
    ),
    "readers": Command(
        _readers, "mrmc", _VIPER, f"{_DRAWN} curves marks read", f"{_STUDY} ReaderStudy.from_marks"
    ),
    "froc": Command(
        lambda call: _drawn(call, pauci.froc(call.marked(), **call.arguments(pauci.froc)), "level"),
        "froc",
        "example:marked_cases --marks example:marks --standalone AI",
        f"{_DRAWN} marks read",
        "Sample.from_marks ReaderStudy.from_marks",
        "data",
    ),
    "meta-accuracy": Command(
        _meta_accuracy,
        "meta_accuracy",
        "example:audit_c --tp tp --fn fn --fp fp --tn tn",
        _DRAWN,
        "read_table",
        "frame category",
    ),
    "meta": Command(
        _meta,
        "meta read_result",
        "Leipzig.json Halle.json Jena.json",
        f"output format style {_DRAWN}",
        "",
        "results document",
    ),
    "plan": Command(
        _plan,
        "sample_size power binormal assumed_risks mrmc_power",
        "--auc 0.8 --prevalence 0.1 --measure auc --width 0.1",
        "",
        f"{_ROWS} {_STUDY}",
    ),
    "report": Command(
        _report,
        "write_report estimate compare operating_points mrmc cutoff",
        f'{_LJUBLJANA} --score nn --measure "PAUCc(fpr=(0, 0.1))" --output report.html',
        "",
        f"{_ROWS} {_STUDY}",
        "data call rule_in rule_out folds repeats",
    ),
    "doctor": Command(_doctor, "", "example:dcurves --label cancer", "label", ""),
    "app": Command(_app, "", "example:ljubljana_scores", "port no_browser", ""),
    "demo": Command(_demo, "", "", "", ""),
}


_RENAMED = {"power": "plan", "sample-size": "plan"}
"""Earlier names of commands, which are valid up to version 0.3."""


class Commands(click.Group):
    """The commands, each of which is made of its functions when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of the commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return a command, or None if it does not exist."""
        return derived(cmd_name) if cmd_name in COMMANDS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of the first word, or raise an error with the one that is meant."""
        if args and args[0] in _RENAMED:
            name = _RENAMED[args[0]]
            problem = f"pauci {args[0]} is deprecated and will be removed in pauci 0.4"
            options.say("warning", f"{problem}; use pauci {name}.")
            args = [name, *args[1:]]
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            if Path(args[0]).suffix:
                raise click.UsageError(f"a command precedes the file: pauci doctor {args[0]}")
            problem = f"{args[0]!r} is not a command{nearest(args[0], COMMANDS)}"
            raise click.UsageError(f"{problem} Commands: {', '.join(COMMANDS)}.")
        return super().resolve_command(ctx, args)


def derived(name: str) -> options.DerivedCommand:
    """Return a command with the options that follow from its functions."""
    command = COMMANDS[name]
    functions, readers = (
        [attrgetter(function)(pauci) for function in names.split()]
        for names in (command.functions, command.reads)
    )
    without, own = command.without.split(), command.options.split()
    if command.reads:
        own = ["output", "format", "style", *own]
    parameters: dict[str, options.DerivedOption] = {}
    if name not in ("demo", "app", "meta"):
        parameters = options.options_of([*readers, read_table], [*without, "thresholds"], "Data")
        own = [*["category"] * ("category" not in without), *own]
    others = {n: options.DerivedOption(n, *options.OPTIONS[n]) for n in own}
    for later in (options.options_of(functions, without), others):
        for argument in later.keys() & parameters.keys():
            del parameters[argument]
        parameters |= later
    described = functions[0] if functions and not inspect.getdoc(command.run) else command.run
    files = click.Argument(["files"], nargs=-1, metavar="FILE...")
    summary = options.summary_of(described)
    result = options.DerivedCommand(
        name,
        params=[files, *parameters.values(), *options.switches()],
        help=summary,
        short_help=summary.split(". ")[0].split("\n")[0],
        callback=lambda **values: _run(name, result, values),
    )
    result.example = f"pauci {name} {command.example}".strip()
    return result


def _run(name: str, command: options.DerivedCommand, values: dict[str, Any]) -> None:
    """Run a command with the values of its options."""
    files = [options.in_utf8(file) if file.startswith(PREFIX) else file for file in values["files"]]
    given = {
        option.argument: option.is_switch or option.value(values[option.argument])
        for option in command.params
        if isinstance(option, options.DerivedOption) and values[option.argument]
    }
    call = Call(name, files, given, [])
    output.refuse_overwriting(call.files, call.given)
    destination = Output.of(call.given) if name != "report" else None
    output.check_figures(call.given)
    results = COMMANDS[name].run(call)
    if results is not None and destination is not None:
        output.give(results, destination, call.notes, call.files)


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
)
@click.version_option(pauci.__version__)
@click.pass_context
def commands(context: click.Context) -> None:
    """Statistical inference for regions of the ROC curve.

    The options of a command are the arguments of functions of pauci. Values have the syntax of
    Python where they are not plain words or numbers: --measure "PAUC(fpr=(0, 0.1))".

    FILE may be "-" for standard input, a pattern of Parquet files, a query "duckdb:SELECT ...", and
    example:NAME for the bundled data set NAME.
    """
    if context.invoked_subcommand is None:
        write_line(context.get_help())


commands.params += options.switches()
