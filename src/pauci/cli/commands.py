"""The commands, each of which calls a public function with the arguments of the command line.

A command is an entry of ``commands.toml``, with the functions whose arguments are its options, and
a function here that calls them and returns the results. The options and the help follow from the
functions.
"""

import functools
import inspect
import textwrap
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click

import pauci
from pauci.checks import check_choice, listed, nearest
from pauci.cli import options, output
from pauci.cli.output import Output, Result, write_figure, write_line
from pauci.cli.samples import Call, first_group, name_of, reader_plans
from pauci.errors import InputError
from pauci.files.read_table import PREFIX
from pauci.measures.classes import ClassMeasure
from pauci.sample.sample import Sample

_FUNCTIONS: dict[str, Callable[[Call], "Sequence[Result] | None"]] = {}
"""The functions of the commands, which return the results, or None if they write the output."""


def _command(run: Any) -> Any:
    """Register the function of the command that it is named for."""
    _FUNCTIONS[run.__name__[1:].replace("_", "-")] = run
    return run


def _shown(call: Call, names: str = "level kind") -> dict[str, Any]:
    """Return the values of options that were given, by default level and kind of intervals."""
    return {name: call.given[name] for name in names.split() if name in call.given}


def _single(values: Sequence[Any]) -> Any:
    return values[0] if len(values) == 1 else values


# Estimates and comparisons


def _by_group(call: Call, function: Callable[..., Any], measures: Any, noun: str) -> list[Result]:
    """Return the results of a function in all rows, or by each grouping."""
    samples, shown, results = _single(call.samples()), _shown(call), []
    for column in call.grouped_by:
        reference = first_group(samples, column, call.given.get("reference"))
        result = call.apply(function, samples, measures, by=column, reference=reference)
        results.append(Result(f"{noun} by {column}", result, shown))
        if call.output.form in ("csv", "json"):
            results.append(Result(f"gaps by {column}", result.gaps, _shown(call, "level")))
    if results:
        write_figure(call.given, pauci.plot.forest, results[0].result, **shown)
        return results
    result = call.apply(function, samples, measures)
    _draw_estimates(call, samples, measures, result)
    return [Result("", result, shown)]


@_command
def _estimate(call: Call) -> list[Result]:
    """Return estimates, their tests against a null value, and their ranks."""
    results = _by_group(call, pauci.estimate, call.measures, "estimates")
    estimates = results[0].result
    if "null" in call.given:
        results.append(Result("tests", call.apply(estimates.tests), _shown(call)))
    else:
        call.refuse(("alternative", "adjust"), "requires null=, the value to test.")
    if "best" in call.given:
        results.append(Result("ranks", call.apply(estimates.ranks), {}))
    first = results[0].title or "estimates" * (len(results) > 1)
    return [results[0]._replace(title=first), *results[1:]]


@_command
def _compare(call: Call) -> list[Result]:
    is_one = len(call.files) == 1 and len(listed(call.given.get("scores"))) == 1
    if is_one and "positives" not in call.given:
        needed = "two: scores= again for the same rows, or a second FILE for different ones."
        call.refuse(["scores"], f"is a single classifier, but a comparison needs {needed}")
    return _by_group(call, pauci.compare, _single(call.measures), "comparisons")


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


@_command
def _counts(call: Call) -> list[Result]:
    """Estimate measures of tables of counts, and compare independent tables.

    Each FILE has a row per category, with the columns score, positives and negatives, or those of
    the options, or a column for each of several ordered classes; with group= it has several
    tables. With cells= the four numbers of one test give
    sensitivity, specificity, predictive values and likelihood ratios.
    """
    shown = _shown(call)
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
    if any(not isinstance(n, int) or n < 0 for n in cells):
        raise InputError.of("cells", None, "must be four counts: TP FP FN TN.", shown="")
    true_pos, false_pos, false_neg, true_neg = cells
    arguments = call.arguments(Sample.from_counts, "scores", "positives", "negatives")
    sample = Sample.from_counts(
        [1, 0], [true_pos, false_neg], [false_pos, true_neg], **{"name": "test", **arguments}
    )
    at = {"threshold": 1, **_shown(call, "prevalence")}
    of_rates = pauci.Sensitivity, pauci.Specificity, pauci.LRPositive, pauci.LRNegative
    rates = [kind(threshold=1) for kind in of_rates]
    return pauci.estimate(sample, [*rates[:2], pauci.PPV(**at), pauci.NPV(**at), *rates[2:]])


# One curve


def _drawn(call: Call, result: Any, names: str = "level kind") -> list[Result]:
    """Return a result, whose figure is written to the file of plot=, if it was given."""
    shown = _shown(call, names)
    write_figure(call.given, result.plot, **shown)
    return [Result("", result, shown)]


@_command
def _band(call: Call) -> list[Result]:
    return _drawn(call, call.apply(pauci.band, call.samples()), "")


def _each_classifier(call: Call) -> list[Sample]:
    """Return a sample of each classifier."""
    return [sample[name] for sample in call.samples() for name in sample.names]


def _titled(call: Call, titles: Sequence[str], results: Sequence[Any]) -> list[Result]:
    """Return results with their titles, which a single result does not have."""
    titles, shown = titles if len(results) > 1 else [""], _shown(call, "level")
    return [Result(title, r, shown) for title, r in zip(titles, results, strict=True)]


@_command
def _profile(call: Call) -> list[Result]:
    return _drawn(call, call.apply(pauci.profile, _single(call.samples())))


@_command
def _scan(call: Call) -> list[Result]:
    return _drawn(call, call.apply(pauci.scan, _single(call.samples()), call.measures[0]))


@_command
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


@_command
def _cutoff(call: Call) -> list[Result]:
    samples = _each_classifier(call)
    results = [_chosen(call, sample) for sample in samples]
    if len(results) > 1:
        call.refuse(["plot"], "draws the cut-offs of one score.")
    write_figure(call.given, results[0].plot, **_shown(call, "level"))
    return _titled(call, [f"cut-off of {s.names[0]}" for s in samples], results)


@_command
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


@_command
def _risks(call: Call) -> list[Result]:
    sample, shown = _single(call.samples()), _shown(call, "level")
    horizons = getattr(sample, "horizons", ())
    samples = [sample.at(t) for t in horizons] or [sample]
    tables = [call.apply(pauci.risk_table, s) for s in samples]
    if len(samples) > 1:
        call.refuse(["plot"], "draws the risks at one horizon.")
    at = _shown(call, "level probability")
    write_figure(call.given, pauci.plot.risk_panels, samples[0], **at)
    titles = [f"risks at horizon {t}" for t in horizons] or [""]
    return [Result(*titled, shown) for titled in zip(titles, tables, strict=True)]


@_command
def _fit(call: Call) -> list[Result]:
    models = list(dict.fromkeys(listed(call.given.get("model", "binormal"))))
    fits = [_fitted(call, sample, name) for sample in _each_classifier(call) for name in models]
    results: dict[str, Any] = {f"{fit.model.title} fit of {fit.classifier}": fit for fit in fits}
    if "measure" in call.given:
        results["estimates"] = pauci.estimate(fits, call.measures)
        if len(fits) > 1 and len(models) == 1:
            test = _shown(call, "null alternative adjust")
            results["comparisons"] = pauci.compare(fits, _single(call.measures), **test)
    write_figure(call.given, pauci.plot.fitted, fits, **_shown(call, "level"))
    return _titled(call, list(results), list(results.values()))


def _fitted(call: Call, sample: Sample, model: str) -> Any:
    """Return the fit of a model to the curve of a classifier."""
    from pauci.fits.curve_fits import warn_about_fit

    check_choice("model", model, ("binormal", "proper", "contaminated"))
    fit = getattr(pauci, f"fit_{model}")(sample, **call.arguments(pauci.fit_binormal))
    warn_about_fit(fit.goodness, fit.model, fit.classifier)
    return fit


# Readers


@_command
def _readers(call: Call) -> list[Result]:
    study, measures = call.study(), call.measures
    if len(measures) > 1:
        call.refuse(["plot"], "draws one measure.")
    of_lesions = ["weights"] * ("marks" in call.given)  # the weights are those of lesions
    options = call.arguments(pauci.mrmc, "measure", *of_lesions)
    results = [pauci.mrmc(study, m, **options) for m in measures]
    shown, form = _shown(call, "level"), call.output.form
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
    names = [name for name in frames[0] if results[0].contrasts or name != "differences"]
    joined = {name: pd.concat([f[name] for f in frames], ignore_index=True) for name in names}
    return [Result(name, SimpleNamespace(to_frame=joined[name].copy), {}) for name in names]


@_command
def _froc(call: Call) -> list[Result]:
    return _drawn(call, pauci.froc(call.marked(), **call.arguments(pauci.froc)), "level")


# Studies


@_command
def _meta_accuracy(call: Call) -> list[Result]:
    table = call.one_table("FILE, the file with a row for each study, is missing.")
    return _drawn(call, call.apply(pauci.meta_accuracy, table), "level")


@_command
def _meta(call: Call) -> list[Result]:
    """Pool the results of several studies: each FILE is a JSON document of this package."""
    names = [Path(file).stem for file in call.files]
    if len(set(names)) < len(names):
        names = [f"{i}: {file}" for i, file in enumerate(call.files, 1)]
    found = {}
    for name, file in zip(names, call.files, strict=True):
        try:
            found[name] = call.apply(pauci.read_result, file)
        except InputError as error:
            where = "" if repr(file) in str(error) else f"file {file!r}"
            raise error.replaced(where=where) from None
    return _drawn(call, call.apply(pauci.meta, found), "level")


# Planning


def _pilot(call: Call) -> Any:
    """Return the pilot in FILE, or the scores or risks that are assumed."""
    of_risks, of_scores = (call.arguments(f) for f in (pauci.assumed_risks, pauci.binormal))
    only_risks = [name for name in of_risks if name not in of_scores]
    if call.files:
        problem = "is an assumption, but FILE has a pilot study; omit one of them."
        call.refuse([*of_risks, "correlation"], problem)
        return _single(call.samples())
    if only_risks:
        problem = f"is for assumed scores, but {only_risks[0]}= is for assumed risks."
        call.refuse([name for name in of_scores if name not in of_risks], problem)
        return pauci.assumed_risks(**of_risks)
    if not of_risks:
        problem = "a plan requires FILE with a pilot study, or an assumption, such as auc=."
        raise InputError(problem, argument="auc")
    return pauci.binormal(**of_scores)


@_command
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
    if sizes:
        problem = f"is for a required size, but {sizes[0]}= specifies it; omit one of them."
        call.refuse(("power", "width", "ratio"), problem)
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


@_command
def _report(call: Call) -> None:
    """Write a report on a file: its data, estimates and comparisons.

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
    hashes = (
        page.hash_of(f) if Path(f).is_file() else (f"Data: {f}", "not a file") for f in call.files
    )
    origin = {**dict(hashes), "Call": output.command()}
    write_file(path, page.report(contents, end, title, origin, style), "output")


def _reported(call: Call) -> list[Any]:
    """Return the samples of a report, and the results of public functions about them."""
    samples, measures = call.samples(), _single(call.measures)
    sample = _single(samples)
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


@_command
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


@_command
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


@_command
def _doctor(call: Call) -> None:
    """Describe a file: its columns, and the analyses that they support with their commands."""
    from pauci.cli.doctor import described

    table = call.one_table("FILE, the file to describe, is missing.")
    write_line(described(call.files[0], table, call.given.get("label")))


_RENAMED = {"power": "plan", "sample-size": "plan"}
"""Earlier names of commands, which are valid up to version 0.3."""


class Commands(click.Group):
    """The commands, each of which is derived from its functions on first use."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of the commands."""
        return list(options.COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return a command, or None if it does not exist."""
        return derived(cmd_name) if cmd_name in options.COMMANDS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of the first word, or raise an error with the one that is meant."""
        if args and args[0] in _RENAMED:
            name = _RENAMED[args[0]]
            problem = f"pauci {args[0]} is deprecated and will be removed in pauci 0.4"
            options.say("warning", f"{problem}; use pauci {name}.")
            args = [name, *args[1:]]
        if args and args[0] not in options.COMMANDS and not args[0].startswith("-"):
            if Path(args[0]).suffix:
                raise click.UsageError(f"a command precedes the file: pauci doctor {args[0]}")
            problem = f"{args[0]!r} is not a command{nearest(args[0], options.COMMANDS)}"
            raise click.UsageError(f"{problem} Commands: {', '.join(options.COMMANDS)}.")
        return super().resolve_command(ctx, args)


@functools.cache
def derived(name: str) -> options.DerivedCommand:
    """Return a command with the options that follow from its functions."""
    entry, run = options.COMMANDS[name], _FUNCTIONS[name]
    functions, without = entry.get("functions", ""), entry.get("without", "")
    arguments = options.options_of(entry.get("reads", ""), f"{without} thresholds", "Data")
    own = entry.get("options", "").split()
    others = {n: options.DerivedOption(n, *options.OPTIONS[n]) for n in own}
    for later in (options.options_of(functions, without), others):
        for argument in later.keys() & arguments.keys():
            del arguments[argument]
        arguments |= later
    described = run if inspect.getdoc(run) else getattr(pauci, functions.split()[0])
    summary = options.summary_of(described)
    return options.DerivedCommand(
        name,
        arguments,
        help=summary,
        short_help=summary.split(". ")[0].split("\n")[0],
        epilog=f"pauci {name} {entry.get('example', '')}".strip(),
        callback=partial(_run, name),
    )


def _run(name: str, /, **values: Any) -> None:
    """Run a command with the values of its options."""
    files = [options.in_utf8(file) if file.startswith(PREFIX) else file for file in values["files"]]
    arguments = derived(name).arguments
    given = {n: option.value(values[n]) for n, option in arguments.items() if values[n]}
    output.check_files(files, given)
    call = Call(name, files, given, [], Output.of(given) if name != "report" else Output())
    results = _FUNCTIONS[name](call)
    if results is not None:
        output.give(results, call.output, call.notes, files)


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
