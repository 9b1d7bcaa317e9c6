"""``pauci risks``: discrimination, calibration, net benefit and distribution of risks."""

from pauci import plot as figures
from pauci.analyses.risk_table import risk_table
from pauci.cli import options as opt
from pauci.cli.output import FigureFile, Result, give
from pauci.cli.samples import sample_of
from pauci.cli.typed_commands import command


@command(
    "risks",
    short_help="Are predicted risks right, and do they help to decide?",
    example="pauci risks example:dcurves --label cancer --score cancerpredmarker --probability 0.1",
)
def risks_command(
    file: opt.RowsFile,
    rows: opt.RowColumns,
    fold: opt.Fold,
    reading: opt.Reading,
    design: opt.Design,
    options: opt.RiskOptions,
    level: opt.Level,
    output: opt.OutputOptions,
    plot: opt.PlotOfRisks,
    dpi: opt.Dpi,
) -> None:
    """Report discrimination, calibration, net benefit and distribution of risks in FILE.

    Each --score column must have risks between 0 and 1. Two columns are compared on the same rows.
    The table has the AUC, O/E, calibration intercept and slope, Brier score, log loss, net benefit
    and quartiles of the risks, followed by a sentence for each aspect.
    """
    destination, figure = output.checked(), FigureFile.of(plot, dpi=dpi)
    sample = sample_of(file, reading, rows, design, fold=fold)
    table = risk_table(
        sample,
        probability=options.probability or None,
        prevalence=options.prevalence,
        harm=options.harm,
    )
    figure.write(figures.risk_panels, sample, probability=options.probability or None, level=level)
    give([Result("", table, {"level": level})], destination)
