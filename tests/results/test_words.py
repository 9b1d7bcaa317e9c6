"""The output of results consists of words of the pages, or of a short list.

A word that is neither in the text of README, docs and vignettes nor in ``tests/data/words.txt`` is
a mistake, such as two words without a space, or a new term, which has to be added to the list.
"""

import re
from pathlib import Path

import numpy as np
import pytest

import pauci
from tabular_results import MAKERS, ODD, quiet, ratings, result, sample

ROOT = Path(__file__).parents[2]
WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?")
PAGES = [p for folder in (".", "docs", "vignettes") for p in (ROOT / folder).glob("*.md")]
COPIES = {"CHANGELOG.md", "CONTRIBUTING.md", "changelog.md", "contributing.md", "data.md"}
PAGES = [p for p in PAGES if p.name not in COPIES]
NAMES = {"svm", "nn", "film", "digital", "score", *"abcdefgh"}


def words_of(text):
    return {word.lower() for word in WORD.findall(text)}


def known_words():
    """Return the words of the pages, without code, and those of the list."""
    listed = ROOT / "tests" / "data" / "words.txt"
    known = set(listed.read_text(encoding="utf-8").split())
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        known |= words_of(re.sub(r"```.*?```|`[^`]*`|https?://\S+", " ", text, flags=re.S))
    return known | NAMES | words_of(ODD)


def few():
    y = np.repeat([1, 0], [12, 80])
    s = np.random.default_rng(4).normal(size=92) + 2 * y
    return pauci.Sample(y, {"a": s, "b": s + 0.2 * np.cos(np.arange(92))})


def in_folds():
    y, fold = np.repeat([0, 1], 60), np.arange(120) % 4
    s = np.random.default_rng(2).normal(size=120) + 1.5 * y
    return pauci.Sample(y, {"a": s + 9 * y * (fold == 1), "b": s}, fold=fold)


def one_and_two(**options):
    return sample("a", "b", **options)


MORE = {
    "cautions": lambda: pauci.compare(few(), [pauci.PAUC(fpr=(0, 0.02)), pauci.MaxKappa()]),
    "cautions of estimates": lambda: pauci.estimate(few(), [pauci.AUC(), pauci.AP(), pauci.AUK()]),
    "profile of few": lambda: pauci.profile(few()),
    "scan of few": lambda: pauci.scan(few(), pauci.PAUC, fpr=[0.05, 0.5], rng=1),
    "folds": lambda: pauci.compare(in_folds(), pauci.PAUC(fpr=(0, 0.2))),
    "estimates in folds": lambda: pauci.estimate(in_folds(), [pauci.AUC(), pauci.AP()]),
    "weights of a comparison": lambda: pauci.compare(
        one_and_two(weight=np.linspace(0.5, 2, 120)), [pauci.AUC(), pauci.SPA(fpr=(0, 0.5))]
    ),
    "clusters of several": lambda: pauci.compare(
        sample("a", "b", "c", cluster=np.arange(120) // 3), pauci.AUC(), adjust="by"
    ),
    "case-control": lambda: pauci.compare(one_and_two(design="case-control"), pauci.AP()),
    "at a prevalence": lambda: pauci.estimate(one_and_two(), pauci.AP(prevalence=0.1)),
    "points of a prevalence": lambda: pauci.operating_points(ratings(), prevalence=0.1),
    "groups": lambda: pauci.compare([sample(n) for n in "abc"], pauci.AUC(), independent=True),
    "bootstrap of several": lambda: pauci.compare(
        sample("a", "b", "c"), pauci.AUC(), variance=pauci.Bootstrap(99, rng=1)
    ),
    "jackknife of two": lambda: pauci.compare(
        one_and_two(), pauci.AP(), variance=pauci.Jackknife(), alternative="less"
    ),
}


def texts_of(found):
    """Yield the output of a result: as text, as a sentence, and on pages of all styles."""
    yield found.summary()
    if hasattr(found, "report"):
        yield found.report()
    for style in ("plain", "apa", "ama"):
        page = found._page(0.95, None, style)
        yield from ("".join(run.text for run in runs) for runs in (page.caption, page.notes))
        yield " ".join(column.heading.text for column in page.columns)
        yield " ".join(form.text for row in page.rows for form in row)


@pytest.mark.long
@pytest.mark.skipif(not PAGES[1:], reason="the pages are not in this copy")
@pytest.mark.parametrize("name", [*MAKERS, *MORE])
def test_everything_printed_consists_of_known_words(name):
    with quiet():
        found = MORE[name]() if name in MORE else result(name)
        printed = {word for text in texts_of(found) for word in words_of(text)}
    assert printed <= known_words(), printed - known_words()


def test_words_without_a_space_are_detected():
    known = known_words()
    assert {"each", "by", "itself"} <= known
    assert not {"itscan", "itprofile", "differe"} & known
