"""The description of the data of a study."""

from collections.abc import Mapping

from pauci.curve.counts import CountTable
from pauci.report.page_analysis import Analysis
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt
from pauci.tables.number_format import typeset_words

_MOST_LISTED = 12


def description_of(analysis: Analysis, origin: Mapping[str, str]) -> list[list[str]]:
    """Return the description as headings and rows, with a column for each sample."""
    samples = analysis.sample_list
    columns = [_facts(sample) for sample in samples]
    return [
        ["Data", *(s.names[0] for s in samples)] if len(samples) > 1 else ["Data", "Value"],
        *([name, *[value] * len(samples)] for name, value in origin.items()),
        *([name, *(column[name] for column in columns)] for name in columns[0]),
    ]


def _facts(sample: Sample) -> dict[str, str]:
    """Return the description of a sample: texts by row heading."""
    rows = sample.rows
    n = sample.n_pos + sample.n_neg
    unit = "observations in a table of counts" if rows.is_count_table else "rows"
    facts = {
        "Classifiers": "; ".join(_classifier(sample, name) for name in sample.names[:_MOST_LISTED]),
        "Analysed": f"{n:,} {unit}",
        "Positives": f"{sample.n_pos:,} ({percent(sample.n_pos / n)})",
        "Negatives": f"{sample.n_neg:,} ({percent(sample.n_neg / n)})",
        "Missing values": missing_phrase(sample),
        "Clusters": "none: rows are treated as independent",
        "Weights": "none: every row counts once",
        "Design": DESIGNS[sample.design],
    }
    if rows.rest:
        facts["Positives"] += f"; {rows.rest}"
    more = len(sample.names) - _MOST_LISTED
    if more > 0:
        facts["Classifiers"] += f"; and {more} more"
    if rows.clusters is not None:
        facts["Clusters"] = f"{rows.clusters:,}; standard errors account for them"
    notes = []
    if rows.has_frequencies and not rows.is_count_table:
        notes.append("frequencies: a row represents several observations")
    if rows.has_weights:
        k1, k0 = rows.effective_units
        notes.append(
            f"sampling weights; effective sizes: {k1:,.1f} positives and {k0:,.1f} negatives"
        )
        notes.append(f"weighted proportion of positives: {percent(sample.prevalence)}")
    if rows.uncounted:
        notes.append(f"{fmt.count(rows.uncounted, 'row')} with weight or frequency 0 not counted")
    if notes:
        facts["Weights"] = "; ".join(notes)
    return facts


DESIGNS = {
    "cohort": "cohort: the prevalence in the population is estimated from the sample",
    "case-control": "case-control: the numbers of positives and negatives were fixed by design",
}


def missing_phrase(sample: Sample) -> str:
    """Return how rows with missing values were treated."""
    if sample.rows.exclusions:
        return f"{' and '.join(sample.rows.exclusions)} left out"
    return "no row was left out"


def _classifier(sample: Sample, name: str) -> str:
    """Return the description of the scores of a classifier."""
    counts = sample.ratings(name).curve.table
    return f"{name} ({scores_phrase(counts)})"


def further_results(number: int) -> str:
    """Return a sentence with the number of results that are only in the tables of a page."""
    return f"{fmt.count(number, 'further result')} {'is' if number == 1 else 'are'} in the tables."


def scores_phrase(counts: CountTable) -> str:
    """Return the number of distinct scores, their range and their direction."""
    strictest, laxest = counts.text_at(1), counts.text_at(counts.size)
    low, high = (strictest, laxest) if counts.lower_is_positive else (laxest, strictest)
    span = (
        typeset_words(f"from {low} to {high}")
        if counts.categories is None
        else (f"from {low} to {high}")
    )
    return f"{fmt.count(counts.size, 'distinct value')} {span}; {direction_phrase(counts)}"


def direction_phrase(counts: CountTable) -> str:
    """Return which scores are more positive."""
    return f"{'lower' if counts.lower_is_positive else 'higher'} is more positive"


def percent(share: float) -> str:
    """Return a proportion in percent, with enough digits to differ from 0."""
    return f"{100.0 * share:.3g}%"
