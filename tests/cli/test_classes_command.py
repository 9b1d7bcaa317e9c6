"""Several classes on the command line."""

import numpy as np
import pytest

import pauci
from command_line import fails, json_rows, succeeds

FRAME, ORDER = pauci.datasets.load_stages(), ["none", "early", "late"]
STAGES = "example:stages --label stage --class none --class early --class late"
BOTH = " ".join(f"--probabilities both_{stage}" for stage in ORDER)


def columns(name):
    return FRAME[[f"{name}_{stage}" for stage in ORDER]].to_numpy()


def agree(out, result, *names):
    frame = result.to_frame()
    for name in names:
        np.testing.assert_allclose([r[name] for r in json_rows(out)], frame[name])


def test_columns_of_probabilities(cli, tmp_path):
    figure = tmp_path / "curves.svg"
    out = succeeds(
        cli(f"estimate {STAGES} {BOTH} --name both --measure auc --plot {figure} --format json")
    )
    sample = pauci.Sample.from_classes(FRAME["stage"], columns("both"), ORDER, name="both")
    agree(out, pauci.estimate(sample, pauci.AUC()), "value", "se", "low")
    assert [r["classifier"] for r in json_rows(out)] == [f"both: {stage}" for stage in ORDER]
    assert figure.read_text().count("both: ") >= 3
    out = succeeds(
        cli(
            f'estimate {STAGES} {BOTH} --measure "Macro(PAUC(fpr=(0, 0.2)))" --measure pdi '
            '--variance "Bootstrap(400, rng=1)" --weight patient --format json --quiet'
        )
    )
    weighted = pauci.Sample.from_classes(
        FRAME["stage"], columns("both"), ORDER, weight=FRAME["patient"]
    )
    measures = [pauci.Macro(pauci.PAUC(fpr=(0, 0.2))), pauci.PDI()]
    agree(out, pauci.estimate(weighted, measures, pauci.Bootstrap(400, rng=1)), "value", "se")


@pytest.mark.parametrize("used", [["site"], ["age", "both_late"]], ids=str)
def test_partly_verified_classes(cli, tmp_path, used):
    rng = np.random.default_rng(1)
    frame = FRAME.assign(known=rng.random(len(FRAME)) < 0.7, age=rng.normal(size=len(FRAME)))
    frame["site"] = rng.choice(["x", "y"], len(FRAME))
    frame["stage"] = frame["stage"].where(frame["known"])
    frame.to_csv(tmp_path / "stages.csv", index=False)
    options = " ".join(f"--class {c}" for c in ORDER) + " --label stage --verified known "
    options += " ".join(f"--verification {name}" for name in used)
    out = succeeds(
        cli(f"""estimate {tmp_path}/stages.csv {options} {BOTH} --measure "PDI(of='late')" """)
    )
    sample = pauci.Sample.from_classes(
        frame["stage"],
        frame[[f"both_{stage}" for stage in ORDER]].to_numpy(),
        ORDER,
        verified=frame["known"],
        verification=frame[used] if len(used) > 1 else frame[used[0]],
    )
    e = pauci.estimate(sample, pauci.PDI(of="late"))
    low, high = e.interval()
    assert f"{e.value:.3f} ({low:.3f} to {high:.3f})" in out


def test_two_classifiers(cli):
    listed = ", ".join(f"'{n}': {[f'{n}_{s}' for s in ORDER]}" for n in ("marker", "both"))
    out = succeeds(
        cli(f'compare {STAGES} --probabilities "{{{listed}}}" --measure pdi --format json')
    )
    both = {name: columns(name) for name in ("marker", "both")}
    sample = pauci.Sample.from_classes(FRAME["stage"], both, ORDER)
    agree(out, pauci.compare(sample, pauci.PDI()), "difference", "se", "pvalue")


@pytest.mark.filterwarnings("ignore::pauci.errors.ReversedScoresWarning")
@pytest.mark.parametrize("order", [ORDER, ORDER[::-1]])
def test_scores_of_ordered_classes(cli, order):
    words = " ".join(f"--class {stage}" for stage in order)
    out = succeeds(
        cli(
            f"estimate example:stages --label stage {words} --score marker --score protein "
            "--measure vus --measure CIndex --format json --quiet"
        )
    )
    scores = {name: FRAME[name] for name in ("marker", "protein")}
    sample = pauci.Sample.from_classes(FRAME["stage"], scores, order)
    agree(out, pauci.estimate(sample, [pauci.VUS(), pauci.CIndex()]), "value", "se")


def test_groups_and_numbers_as_labels(cli, tmp_path):
    frame = FRAME.assign(grade=FRAME["stage"].map({s: i for i, s in enumerate(ORDER)}))
    frame["site"] = np.where(np.arange(len(frame)) % 2, "north", "south")
    frame.to_csv(tmp_path / "grades.csv", index=False)
    out = succeeds(
        cli(
            f"estimate {tmp_path}/grades.csv --label grade --class 0 --class 1 --class 2 "
            "--score marker --measure vus --by site --format json"
        )
    )
    sample = pauci.Sample.from_classes(frame["grade"], frame["marker"], group=frame["site"])
    by = pauci.estimate(sample, pauci.VUS(), by=frame["site"]).to_frame()
    found = json_rows(out)["estimates by site"]
    np.testing.assert_allclose([r["value"] for r in found], by["value"])


def test_counts(cli, tmp_path):
    (tmp_path / "counts.csv").write_text("score,none,early,late\n1,33,3,1\n2,6,2,2\n4,17,13,37\n")
    words = " ".join(f"--class {stage}" for stage in ORDER)
    out = succeeds(cli(f"counts {tmp_path}/counts.csv {words} --measure vus --format json"))
    counts = {"none": [33, 6, 17], "early": [3, 2, 13], "late": [1, 2, 37]}
    table = pauci.Sample.from_counts([1, 2, 4], classes=counts)
    (row,) = json_rows(out)["estimates"]
    assert row["se"] == pytest.approx(pauci.estimate(table, pauci.VUS()).se)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            f"{STAGES} --measure vus",
            "--probabilities is missing: the column of each class, or",
        ),
        (f"{STAGES} --score marker --positive late --measure vus", "--positive is not for several"),
        (f"{STAGES} --score nothing --measure vus", "'nothing' is not a column"),
        (f"{STAGES} --probabilities nothing --measure vus", "'nothing' is not a column"),
        (f"{STAGES} --class latte {BOTH} --measure pdi", "4 classes, but there are 3 columns"),
        (
            f"{STAGES} {BOTH} --score marker --measure vus",
            "--score 'marker' is not for columns of classes",
        ),
        (f"example:stages --label stage {BOTH} --measure pdi", "--class is missing"),
        ("example:stages --class none --score marker --measure vus", "--label is missing"),
        (f"{STAGES} {BOTH} --measure vuss", "vus"),
    ],
)
def test_mistakes(cli, options, words):
    fails(cli(f"estimate {options}"), words)
