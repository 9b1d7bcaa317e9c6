"""Options of the command that analyses reader studies."""

from typing import Any

import click

from pauci.cli.help import option
from pauci.cli.options import bootstrap_options, difference_options, output_options
from pauci.readers.mrmc import METHODS


def study_options() -> list[Any]:
    """Return what says which columns of a reader study hold what."""
    return [
        option("Data", "--reader", required=True, metavar="COLUMN", help="Column of the reader."),
        option("Data", "--modality", metavar="COLUMN",
               help="Column of the modality (test, treatment).  [default: there is one]"),
        option("Data", "--case", required=True, metavar="COLUMN", help="Column of the case."),
        option("Data", "--label", required=True, metavar="COLUMN",
               help="Column of the truth, the same in all rows of a case."),
        option("Data", "--positive", metavar="VALUE",
               help="Label of the positive class, unless labels are 0/1."),
        option("Data", "--score", required=True, metavar="COLUMN", help="Column of the scores."),
        option("Data", "--lower-is-positive", is_flag=True,
               help="Lower scores are more positive."),
        option("Data", "--cluster", metavar="COLUMN",
               help="Column of clusters of cases, such as the patients of lesions."),
        option("Data", "--sampling", type=click.Choice(["cohort", "case-control"]),
               default="cohort", show_default=True, help="How the cases were sampled."),
    ]  # fmt: skip


def mrmc_options() -> list[Any]:
    """Return how a reader study is analysed."""
    return [
        option("Uncertainty", "--fixed", type=click.Choice(["readers", "cases"]),
               help="Conclude about these readers, or cases, alone.  [default: both are random]"),
        option("Uncertainty", "--method", type=click.Choice(METHODS), default="influence",
               show_default=True, help="Where covariances over cases come from."),
        *bootstrap_options(),
        option("Uncertainty", "--weights", type=click.Choice(["equal", "pairs"]),
               help="What readers count: alike, or as the pairs of cases they read.  [default: "
               "equal; of the u-statistic pairs]"),
        option("Uncertainty", "--standalone", metavar="MODALITY",
               help="Modality with one reader that is no sample of readers: an algorithm."),
        option("Uncertainty", "--conservative", is_flag=True,
               help="Take no standard error below that of the same readers alone."),
        option("Uncertainty", "--force", is_flag=True,
               help="Give standard errors at a --prevalence of which hardly any case tells."),
        option("Uncertainty", "--level", type=float, default=0.95, show_default=True,
               help="Confidence level."),
        *difference_options(),
        *output_options(),
        option("Output", "--plot", metavar="FILE",
               help="Draw the readers' differences too, of the first two modalities, to a file "
               "that ends in .png, .svg or .pdf."),
        option("Output", "--curves", metavar="FILE",
               help="Draw the readers' ROC curves and their averages too, to such a file."),
    ]  # fmt: skip
