"""`pauci band`, `pauci fit` and `--fold`: the results of Python, and errors that name options."""

import io

import numpy as np
import pandas as pd
import pytest

import pauci
from command_line import FRAME, fails, json_rows, succeeds

PAIR = pauci.Sample.from_frame(FRAME, "label", ["svm", "nn"])
ROWS = "FILE --label label --score svm"
BAND, FIT = f"band {ROWS}", f"fit {ROWS}"
TABLE = "--score score --positives-column positives --negatives-column negatives"


@pytest.fixture
def table(tmp_path):
    file = tmp_path / "dmist.csv"
    pauci.datasets.load_dmist().to_csv(file, index=False)
    return file


def dmist():
    frame = pauci.datasets.load_dmist()
    return [
        pauci.Sample.from_counts(f["score"], f["positives"], f["negatives"], str(name))
        for name, f in frame.groupby("modality", sort=False)
    ]


def read(answer):
    return pd.read_csv(io.StringIO(succeeds(answer)), keep_default_na=True)


@pytest.mark.parametrize(
    ("more", "options"),
    [
        ("", {}),
        ("--fpr 0 0.3", {"fpr": (0, 0.3)}),
        ("--specificity 0.7 1 --level 0.9", {"fpr": (0, 0.3), "level": 0.9}),
        ("--kind pointwise", {"kind": "pointwise"}),
        ("--score nn", {"pair": True}),
        ("--cluster site", {"sample": {"cluster": "site"}}),
        ("--design case-control", {"sample": {"design": "case-control"}}),
    ],
)
def test_a_band_is_equal_to_that_of_python(cli, more, options):
    names = ["svm", "nn"] if options.pop("pair", False) else "svm"
    sample = pauci.Sample.from_frame(FRAME, "label", names, **options.pop("sample", {}))
    expected = pauci.band(sample, **options)
    got = read(cli(f"{BAND} {more} --format csv"))
    for column in ("fpr", "value", "low", "high", "level"):
        np.testing.assert_allclose(got[column], expected.to_frame()[column], rtol=1e-12, atol=1e-15)
    text = succeeds(cli(f"{BAND} {more}"))
    assert text == f"{expected.summary()}\n\n{expected.report()}\n"


def test_bands_of_tables_of_counts(cli, table):
    film, digital = dmist()
    got = read(cli(f"band {table} {TABLE} --by modality --format csv"))
    np.testing.assert_allclose(got["value"], pauci.band([film, digital]).value, atol=1e-15)
    one = table.parent / "film.csv"
    frame = pd.read_csv(table)
    frame[frame["modality"] == "film"].to_csv(one, index=False)
    points = read(cli(f"band {one} {TABLE} --format csv"))
    expected = pauci.band(film)
    np.testing.assert_allclose(points["fpr_low"], expected.fpr_low)
    line = read(cli(f"band {one} {TABLE} --no-points --format csv"))
    assert len(line) > len(points)
    assert json_rows(succeeds(cli(f"band {one} {TABLE} --format json")))[0]["first"] == "film"


@pytest.mark.filterwarnings("ignore::pauci.DegenerateWarning")
@pytest.mark.parametrize("model", ["binormal", "proper", "contaminated"])
def test_a_fit_is_equal_to_that_of_python(cli, model):
    expected = getattr(pauci, f"fit_{model}")(PAIR["nn"])
    line = f"fit FILE --label label --score nn --model {model}"
    _, out, err = cli(f"{line} --level 0.9 --format csv")
    assert ("alpha = 1" in err) == (model == "contaminated")
    got = pd.read_csv(io.StringIO(out))
    frame = expected.to_frame(0.9)
    assert list(got["parameter"]) == list(frame["parameter"])
    np.testing.assert_allclose(got["se"], frame["se"])
    _, text, _ = cli(line)
    assert text == f"{expected.summary()}\n\n{expected.report()}\n"
    assert "Goodness of fit" in text


def test_measures_and_comparisons_of_fits(cli, table):
    fits = [pauci.fit_binormal(one) for one in PAIR]
    part = pauci.PAUC(fpr=(0, 0.2))
    out = succeeds(cli(f"{FIT} --score nn --measure pauc --fpr 0 0.2 --format json"))
    made = json_rows(out)
    assert list(made) == ["binormal fit of svm", "binormal fit of nn", "estimates", "comparisons"]
    found = pauci.estimate(fits, [part])
    assert [e["se"] for e in made["estimates"]] == [e.se for e in found]
    test = pauci.compare(fits, part)
    assert made["comparisons"][0]["se"] == test.se
    out = succeeds(cli(f"{FIT} --model binormal --model proper --measure auc --format json"))
    names = ["svm (binormal)", "svm (proper)"]
    assert [e["classifier"] for e in json_rows(out)["estimates"]] == names
    assert "comparisons" not in json_rows(out)  # forms of one curve are not rivals in a test
    status, out, err = cli(
        f"fit {table} {TABLE} --by modality --measure auc --measure pauc --fpr 0 0.2 "
        "--null 0.01 --alternative less --adjust none --format json"
    )
    assert status == 0
    assert err.count("rejects the model") == 2
    fits = [pauci.fit_binormal(one) for one in dmist()]
    with pytest.warns(pauci.PoorFitWarning):
        tests = pauci.compare(
            fits, [pauci.AUC(), part], null=0.01, alternative="less", adjust="none"
        ).to_frame()
    assert [c["pvalue"] for c in json_rows(out)["comparisons"]] == list(tests["pvalue"])


def test_rejected_fits_and_robust_errors(cli, table):
    status, out, err = cli(f"fit {table} {TABLE} --by modality --covariance robust")
    assert status == 0
    assert err.count("goodness-of-fit test rejects the model") == 2
    assert "--model" in err
    assert "--covariance robust" in err
    assert "pauci." not in err
    assert "rejects the model" in out
    fit = pauci.fit_binormal(dmist()[0], covariance="robust")
    assert fit.summary() in out
    out = succeeds(cli(f"{FIT} --covariance robust --measure auc --format json"))
    fit = pauci.fit_binormal(PAIR["svm"], covariance="robust")
    assert json_rows(out)["estimates"][0]["se"] == pauci.estimate(fit, pauci.AUC()).se


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (f"{BAND} --fpr 0 0.3", ["simultaneous"]),
        (f"{BAND} --score nn", ["Difference in TPR"]),
        (FIT, ["svm", "AUC"]),
        (f"{FIT} --score nn --model binormal --model proper", ["svm", "nn", "proper"]),
    ],
)
def test_figures(cli, tmp_path, line, words):
    pytest.importorskip("matplotlib")
    path = tmp_path / "figure.svg"
    succeeds(cli(f"{line} --plot {path}"))
    for word in words:
        assert word in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("line", [BAND, f"{BAND} --score nn", FIT, f"{FIT} --measure auc"])
def test_tables_in_files(cli, tmp_path, line):
    for end in ("md", "tex", "html", "csv", "json", "txt"):
        path = tmp_path / f"table.{end}"
        assert succeeds(cli(f"{line} --output {path}")) == ""
        assert len(path.read_text(encoding="utf-8")) > 300


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("band FILE --score svm", ["--label is missing", "--positives-column"]),
        (f"{BAND} --score nn --score w", ["one classifier, or two for their difference", "are 3"]),
        (f"{BAND} --score nn --points", ["--points needs a single classifier"]),
        (f"{BAND} --fpr 0.3 0.1", ["--fpr"]),
        (f"{BAND} --fpr 0 0.3 --specificity 0 0.3", ["--specificity"]),
        (f"{BAND} --kind bootstrap", ["'bootstrap'", "pointwise"]),
        (f"{BAND} --level 95", ["--level 95"]),
        (f"{BAND} --by site", ["--by requires --positives-column"]),
        (f"{BAND} --plot x.doc", ["x.doc"]),
        (f"{BAND} --weight w --points", ["weights", "--no-points"]),
        (f"{BAND} --positives-column copies", ["--label applies to rows"]),
        ("band FILE --score svm --positives-column copies", ["--negatives-column is missing"]),
        (f"{FIT} --model normal", ["'normal'", "proper"]),
        (f"{FIT} --fpr 0 0.2", ["--fpr requires a --measure"]),
        (f"{FIT} --null 0.1", ["--null 0.1 applies to tests"]),
        (f"{FIT} --measure auc --alternative less", ["--alternative less applies to tests"]),
        (f"{FIT} --measure pauc --threshold 0 1", ["--fpr", "region of scores"]),
        ("fit FILE --label label --score flag", ["three categories", "pauci estimate"]),
        (f"{FIT} --variance bootstrap", ["--variance"]),
        (f"{FIT} --fold site", ["--fold is an option of pauci estimate and pauci compare"]),
        (f"{BAND} --fold site", ["--fold is an option of pauci estimate and pauci compare"]),
        (f"scan {ROWS} --measure pauc --fpr 0.1 0.5 --fold site", ["--fold is an option of"]),
        (f"profile {ROWS} --fold site", ["--fold is an option of pauci estimate", "pauci profile"]),
        (f"estimate {ROWS} --measure auc --fold flod", ["--fold 'flod' is not a column"]),
        (f"estimate {ROWS} --measure auc --fold label", ["no positive row in fold 0"]),
    ],
)
def test_errors_refer_to_options(cli, line, words):
    fails(cli(line), *words)


# Folds


def folded(tmp_path):
    """Return a file with four folds, and three repeats with --cluster."""
    rng = np.random.default_rng(2)
    parts = []
    for repeat in range(3):
        part = FRAME[["label", "svm", "nn"]].copy()
        part["id"] = [f"case {i}" for i in range(len(part))]
        part["part"] = [f"{repeat}.{k}" for k in np.arange(len(part)) // 2 % 4]
        part["svm"] += rng.normal(size=len(part)) / 4
        parts.append(part)
    once, often = tmp_path / "once.csv", tmp_path / "often.csv"
    parts[0].to_csv(once, index=False)
    frame = pd.concat(parts)
    frame.to_csv(often, index=False)
    return parts[0], once, frame, often


def test_folds_by_a_column(cli, tmp_path):
    frame, path, *_ = folded(tmp_path)
    part = pauci.PAUC(fpr=(0, 0.5))
    sample = pauci.Sample.from_frame(frame, "label", ["svm", "nn"], fold="part")
    line = f"{path} --label label --score svm --score nn --measure pauc --fpr 0 0.5 --fold part"
    got = json_rows(succeeds(cli(f"estimate {line} --format json")))
    found = pauci.estimate(sample, [part])
    assert [e["value"] for e in got] == [e.value for e in found]
    assert [e["se"] for e in got] == [e.se for e in found]
    assert "averages over 4 folds" in succeeds(cli(f"estimate {line}"))
    (row,) = json_rows(succeeds(cli(f"compare {line} --format json")))
    assert row["se"] == pauci.compare(sample, part).se


@pytest.mark.parametrize(
    ("more", "variance"),
    [
        ("", "influence"),
        ("--variance jackknife", pauci.Jackknife()),
        ("--variance bootstrap --seed 3 --resamples 100", pauci.Bootstrap(100, rng=3)),
    ],
)
def test_repeats_by_a_cluster(cli, tmp_path, more, variance):
    *_, frame, path = folded(tmp_path)
    sample = pauci.Sample.from_frame(frame, "label", "svm", fold="part", cluster="id")
    line = f"estimate {path} --label label --score svm --fold part --cluster id --measure auc"
    (row,) = json_rows(succeeds(cli(f"{line} {more} --format json")))
    assert row["se"] == pauci.estimate(sample, pauci.AUC(), variance=variance).se
    fails(cli(f"{line} --variance delta"), "--variance delta assumes that folds are independent")


def test_conservative_errors(cli, tmp_path):
    frame, path, *_ = folded(tmp_path)
    sample = pauci.Sample.from_frame(frame, "label", ["svm", "nn"], fold="part")
    line = f"{path} --label label --score svm --score nn --measure auc"
    for verb in (pauci.estimate, pauci.compare):
        asked = f"{verb.__name__} {line} --conservative"
        rows = json_rows(succeeds(cli(f"{asked} --fold part --format json")))
        found = verb(sample, [pauci.AUC()], conservative=True)
        assert [row["se"] for row in rows] == [x.se for x in found]
        assert all(row["conservative"] for row in rows)
        assert ", variance doubled" in succeeds(cli(f"{asked} --fold part"))
        words = "--conservative is for cross-validation folds"
        fails(cli(asked), words, "--fold.")


def test_small_folds_and_figures(cli, tmp_path):
    pytest.importorskip("matplotlib")
    _, path, *_ = folded(tmp_path)
    figure = tmp_path / "folds.svg"
    line = f"estimate {path} --label label --score svm --fold part --measure pauc --fpr 0 0.1"
    status, _, err = cli(f"{line} --plot {figure}")
    assert status == 0
    assert "the region is small in 4 of 4 folds (fold 0.0" in err
    assert "svm" in figure.read_text(encoding="utf-8")
