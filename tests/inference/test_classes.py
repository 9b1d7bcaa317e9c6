"""Samples of several classes: input, joint covariance, tests, groups, folds, clusters, readers."""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pauci
import rule
from pauci import AUC, PDI, VUS, CIndex, HandTill, Macro, Sample, VersusRest, compare, estimate
from pauci.errors import InputError, InputTypeError, UndefinedError

ORDER = ["none", "early", "late"]
MEASURES = [AUC(), Macro(AUC()), Macro(AUC(), "prevalence"), HandTill(), PDI()]


@pytest.fixture(scope="module")
def frame():
    return pauci.datasets.load_stages()


def probabilities(frame, model="both"):
    return frame[[f"{model}_{stage}" for stage in ORDER]].to_numpy()


def both(frame, **options):
    columns = {m: probabilities(frame, m) for m in ("marker", "both")}
    return Sample.from_classes(frame["stage"], columns, ORDER, **options)


def single(frame, **options):
    columns = {m: frame[m] for m in ("marker", "protein")}
    return Sample.from_classes(frame["stage"], columns, ORDER, **options)


def test_sizes_and_parts(frame):
    sample = both(frame)
    assert repr(sample) == "Sample(marker, both: 148 none, 99 early, 53 late, cohort)"
    assert sample.classes == tuple(ORDER)
    late = sample.versus_rest("late")
    assert (late.n_pos, late.n_neg) == (53, 247)
    assert sample["both"].names == ("both",)


def test_columns_of_a_frame_have_names(frame):
    named = pd.DataFrame(probabilities(frame), columns=ORDER)
    from_frame = Sample.from_classes(frame["stage"], named)
    expected = Sample.from_classes(frame["stage"], probabilities(frame), ORDER)
    assert PDI().on(from_frame.any_ratings("score")) == PDI().on(expected.any_ratings("score"))
    with pytest.raises(InputError, match="order must be the same"):
        Sample.from_classes(frame["stage"], named, ORDER[::-1])
    # Without names the columns are those of the sorted labels, as in scikit-learn.
    by_label = Sample.from_classes(frame["stage"], probabilities(frame)[:, [1, 2, 0]])
    assert by_label.classes == ("early", "late", "none")
    assert estimate(by_label, PDI()).value == estimate(expected, PDI()).value


Y, P = list("abcabc"), np.full((6, 3), 1 / 3)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((Y, P, ["a", "b", "x"]), InputError, "labels without a column: 'c'"),
        ((Y, P[:, :2]), InputError, "has 2 columns, but the classes of y are"),
        ((Y, P, ["a", "b"]), InputError, "2 classes, but there are 3 columns"),
        ((Y, P, [np.str_("a"), "b"]), InputError, r"classes=\['a', 'b'\] has 2 classes"),
        ((Y, P, ["a", "b", "c", "c"]), InputError, "a class twice"),
        ((Y, np.full((6, 4), 0.25), [*"abcd"]), UndefinedError, "no row: 'd'"),
        ((["a"] * 6, P), InputError, "one class|3 columns"),
        ((["a"] * 6, P[:, 0]), InputError, "one class"),
        (([*"abcab", "A"], P), InputError, "differ only in case"),
        (([*"abcab", None], P), InputError, "missing"),
        ((Y, np.where(np.eye(6, 3) > 0, np.nan, P)), InputError, "probabilities"),
        ((Y, P[:5]), InputError, "5 rows and"),
        ((Y, P[None]), InputError, "shape"),
        ((Y, {}), InputError, "empty"),
        ((Y, {1: P}), InputTypeError, "named by strings"),
        ((Y, {"a": P, "b": P[:, 0]}), InputError, "different numbers of columns"),
    ],
)
def test_wrong_input(arguments, error, words):
    with pytest.raises(error, match=words):
        Sample.from_classes(*arguments)


def test_columns_that_do_not_add_up_are_stated_and_refused_for_risks(frame):
    scores = probabilities(frame) ** 2
    sample = Sample.from_classes(frame["stage"], scores, ORDER)
    e = estimate(sample, PDI())
    assert "do not add up to 1" in " ".join(e.summary().split())
    assert "do not add up" not in estimate(both(frame)["both"], PDI()).summary()
    with pytest.raises(InputError, match="do not add up to 1"):
        estimate(sample, Macro(pauci.Brier()))
    assert estimate(both(frame)["both"], Macro(pauci.Brier())).value > 0.0
    with pytest.raises(InputError):
        Macro(pauci.Brier())(frame["stage"], scores * 5.0, positive=ORDER)


def test_problems_of_a_class_name_the_class():
    """Classes are not called positives and negatives, also if the last one lacks rows or weight."""
    rng = np.random.default_rng(5)
    y, p = np.repeat(ORDER, [20, 9, 1]), rng.dirichlet([1, 1, 1], 30)
    sample = Sample.from_classes(y, p, ORDER)
    for measure in (Macro(AUC()), AUC(), HandTill(), PDI(), VersusRest(AUC(), "late")):
        with pytest.raises(UndefinedError, match=r"^class 'late' has 1 row here"):
            estimate(sample, measure)
    assert estimate(sample, VersusRest(AUC(), "early")).value > 0.0
    y = np.repeat(ORDER, 10)
    for name in ORDER:
        with pytest.raises(ValueError, match=f"class '{name}'") as caught:
            Sample.from_classes(y, p, ORDER, weight=y != name)
        assert "positives" not in str(caught.value)
        heavy = np.where((y == name) & (np.arange(30) % 10 > 1), 0.01, 3.0)
        weighted = Sample.from_classes(y, {"a": p}, ORDER, weight=heavy)
        for measure in (Macro(AUC()), PDI()):
            with pytest.warns(pauci.errors.DominantWeightsWarning) as warned:
                estimate(weighted, measure)
            (text,) = (
                str(w.message) for w in warned if w.category is pauci.errors.DominantWeightsWarning
            )
            assert f"weight of the rows of class '{name}'" in text


def test_functions_of_a_curve_say_what_to_do(frame):
    sample = both(frame)["both"]
    for function in (pauci.operating_points, pauci.band, lambda s: estimate(s, PDI(), "delta")):
        with pytest.raises(InputError, match="versus_rest"):
            function(sample)
    assert estimate(sample, Macro(AUC()), "jackknife").se == pytest.approx(
        estimate(sample, Macro(AUC())).se, rel=0.02
    )


def test_estimates_by_class_are_joint(frame):
    sample = both(frame)
    es = estimate(sample, MEASURES)
    assert [e.classifier for e in es][:4] == [*(f"marker: {c}" for c in ORDER), "marker"]
    f = es.influence()
    assert abs(f.T @ f - es.cov).max(axis=None) < 1e-15
    average = es.contrast([1 / 3, 1 / 3, 1 / 3, *[0] * 11])
    assert average.value == pytest.approx(es.quantities[3].value, rel=1e-12)
    assert average.se == pytest.approx(es.quantities[3].se, rel=1e-12)
    assert [e.classifier for e in es["late"]] == ["marker: late", "both: late"]
    assert es.quantities[2].n_pos == 53
    assert es.to_frame()["se"].gt(0).all()
    separate = pauci.join([estimate(sample, PDI()), estimate(sample, HandTill())])
    together = estimate(sample, [PDI(), HandTill()])
    order = [0, 2, 1, 3]
    assert np.asarray(separate.cov)[np.ix_(order, order)] == pytest.approx(np.asarray(together.cov))


def test_paired_tests_and_adjustment(frame):
    cs = compare(both(frame), MEASURES, adjust="holm")
    assert len(cs) == 7
    assert (cs.to_frame()["p_adjusted"] >= cs.to_frame()["pvalue"]).all()
    es = estimate(both(frame), MEASURES)
    for i, c in enumerate(cs):
        first, second = es.quantities[i], es.quantities[i + 7]
        assert c.difference == pytest.approx(first.value - second.value, rel=1e-12)
        variance = es.cov[i, i] + es.cov[i + 7, i + 7]
        variance -= 2.0 * es.cov[i, i + 7]
        assert c.se == pytest.approx(np.sqrt(variance), rel=1e-9)
        low, high = c.interval(1.0 - c.pvalue)
        assert min(abs(low), abs(high)) == pytest.approx(0.0, abs=1e-6)
    alone = compare(both(frame).versus_rest("late"), AUC())
    assert cs.quantities[2].se == pytest.approx(alone.se, rel=1e-12)
    z, stage = cs.influence().to_numpy()[:, 2], frame["stage"].to_numpy()
    by_class = rule.degrees_of_freedom([z[stage == c] for c in ORDER])
    assert cs.quantities[2].df == pytest.approx(by_class, rel=1e-9)
    assert by_class == pytest.approx(alone.df, rel=1e-3)


@pytest.mark.parametrize("options", [{}, {"scheme": "stratified"}])
def test_bootstrap_agrees_with_influence(frame, options):
    method = pauci.Bootstrap(200, rng=1, **options)
    design = "case-control" if options else "cohort"
    measures = [Macro(AUC()), HandTill(), PDI()]
    for sample, of_sample in (
        (both(frame, design=design)["both"], measures),
        (single(frame, design=design)["marker"], [VUS(), CIndex()]),
    ):
        for e, b in zip(
            estimate(sample, of_sample), estimate(sample, of_sample, method), strict=True
        ):
            assert b.value == e.value
            assert b.se == pytest.approx(e.se, rel=0.15)
            assert b.interval().low == pytest.approx(e.interval().low, abs=0.03)


def test_clusters_are_the_units(frame):
    cluster = np.arange(300) // 3
    e = estimate(single(frame, cluster=cluster)["marker"], VUS())
    b = estimate(single(frame, cluster=cluster)["marker"], VUS(), pauci.Bootstrap(400, rng=1))
    assert e.rows.clusters == 100
    assert b.se == pytest.approx(e.se, rel=0.12)
    doubled = pd.concat([frame, frame])
    sample = single(doubled, cluster=np.tile(np.arange(300), 2))["marker"]
    for measure in (VUS(), CIndex(), HandTill()):
        expected = estimate(single(frame)["marker"], measure)
        found = estimate(sample, measure)
        assert found.value == pytest.approx(expected.value, rel=1e-12)
        assert found.se == pytest.approx(expected.se, rel=1e-9)


def test_groups(frame):
    sex = np.where(np.arange(300) % 2, "F", "M")
    sample = single(frame, group=sex)
    r = estimate(sample, VUS(), by="group")
    alone = estimate(single(frame[sex == "F"])["marker"], VUS())
    assert r.quantities[0].value == pytest.approx(alone.value, rel=1e-12)
    assert r.quantities[0].se == pytest.approx(alone.se, rel=1e-12)
    assert len(r.gaps) == 2
    both_groups = r.gaps.quantities[0]
    variance = sum(e.se**2 for e in r.quantities if e.classifier == "marker")
    assert both_groups.se == pytest.approx(np.sqrt(variance), rel=1e-9)
    with_all = estimate(both(frame, group=sex), MEASURES, by="group", reference="overall")
    assert len(with_all.quantities) == 28
    assert len(compare(both(frame, group=sex), MEASURES, by="group").quantities) == 14


def test_folds_are_averaged(frame):
    fold = np.arange(300) % 4
    e = estimate(both(frame, fold=fold)["both"], PDI())
    parts = [
        estimate(Sample.from_classes(f["stage"], probabilities(f), ORDER), PDI())
        for _, f in frame.groupby(fold)
    ]
    assert e.value == pytest.approx(np.mean([p.value for p in parts]), rel=1e-12)
    assert e.se == pytest.approx(np.sqrt(sum(p.se**2 for p in parts)) / 4, rel=1e-9)
    assert e.folds == 4
    assert compare(both(frame, fold=fold), Macro(AUC())).se > 0.0


def test_warnings_about_a_class_are_not_those_of_averages():
    """Separated rows of a class concern its own AUC, not an interval of the average."""
    rng = np.random.default_rng(2)
    y, z = np.repeat([0, 1, 2], 20), rng.normal(size=(60, 3))
    p = z + np.eye(3)[y] * [9.0, 1.0, 1.0]
    p[:, 0] = np.where(y == 0, 9.0, -9.0)
    sample = Sample.from_classes(y, {"a": p, "b": p + rng.normal(size=p.shape)})
    average = estimate(sample["a"], Macro(AUC()))
    assert average.cautions == ()
    with pytest.warns(pauci.errors.DegenerateWarning):
        assert estimate(sample["a"], VersusRest(AUC(), 0)).cautions != ()
    same = estimate(sample, Macro(pauci.Sensitivity(threshold=0.5)))
    assert all(0.0 < e.value < 1.0 for e in same)
    in_folds = Sample.from_classes(y, p, fold=np.arange(60) % 4)
    assert estimate(in_folds, [Macro(AUC()), PDI(), HandTill()])[0].cautions == ()


def test_independent_samples(frame):
    first, second = (single(f)["marker"] for f in (frame[:150], frame[150:]))
    c = compare([first, second], [VUS(), CIndex()], independent=True)
    es = [estimate(s, VUS()) for s in (first, second)]
    assert c.quantities[0].se == pytest.approx(np.hypot(*(e.se for e in es)), rel=1e-12)
    with pytest.raises(InputError, match="different classes"):
        estimate([first, Sample([0, 1], [1, 2])], VUS())


def test_counts_with_a_column_for_each_class():
    counts = {"none": [30, 8, 2], "early": [6, 9, 5], "late": [1, 4, 12]}
    table = Sample.from_counts([1, 2, 3], classes=counts)
    y = np.repeat(ORDER, [40, 20, 17])
    s = np.concatenate([np.repeat([1, 2, 3], n) for n in counts.values()])
    rows = Sample.from_classes(y, s, ORDER)
    for measure in (VUS(), CIndex(), HandTill()):
        e, expected = estimate(table, measure), estimate(rows, measure)
        assert (e.value, e.se, e.df) == pytest.approx((expected.value, expected.se, expected.df))
    from_frame = Sample.from_counts([1, 2, 3], classes=pd.DataFrame(counts))
    assert estimate(from_frame, VUS()).value == estimate(table, VUS()).value
    for options, words in (
        ({"classes": {"a": [1, 2, 3]}}, "counts of each class"),
        ({"classes": {"a": [1, 2, 3], "b": [0, 0, 0]}}, "classes"),
        ({"classes": counts, "positives": [1, 2, 3]}, "positives"),
    ):
        with pytest.raises((InputError, InputTypeError), match=words):
            Sample.from_counts([1, 2, 3], **options)


def report_of(result):
    with tempfile.TemporaryDirectory() as folder:
        pauci.write_report(result, path := Path(folder) / "report.html")
        return path.read_text(encoding="utf-8")


def test_readers_of_three_classes():
    rng = np.random.default_rng(3)
    code = np.repeat([0, 1, 2], [30, 25, 20])
    common, rows = rng.normal(size=75), []
    for modality, distance in (("film", 0.8), ("digital", 1.1)):
        for reader in range(4):
            score = np.round(0.6 * common + rng.normal(size=75) + distance * code, 1)
            rows += [(modality, reader, i, ORDER[code[i]], score[i]) for i in range(75)]
    data = pd.DataFrame(rows, columns=["modality", "reader", "case", "label", "score"])
    study = pauci.ReaderStudy.from_frame(data, classes=ORDER)
    assert "30 none, 25 early, 20 late" in repr(study)
    fixed = pauci.mrmc(study, VUS(), readers="fixed")
    assert fixed.differences["difference"][0] > 0.0
    film = data[(data["reader"] == 0) & (data["modality"] == "film")]
    sample = Sample.from_classes(film["label"], film["score"], ORDER)
    by_reader = fixed.readers.set_index(["modality", "reader"])
    e = estimate(sample, VUS())
    assert by_reader.loc[("film", "0"), "value"] == pytest.approx(e.value, rel=1e-12)
    assert by_reader.loc[("film", "0"), "se"] == pytest.approx(e.se, rel=1e-12)
    two = data[data["label"] != "early"]
    of_two = pauci.ReaderStudy.from_frame(two, classes=["none", "late"])
    volume = pauci.mrmc(of_two, VUS(), readers="fixed")
    by_label = pauci.ReaderStudy.from_frame(two, positive="late")
    auc = pauci.mrmc(by_label, AUC(), readers="fixed")
    assert volume.test().pvalue == pytest.approx(auc.test().pvalue, rel=1e-9)
    with pytest.raises(InputError, match="two classes"):
        pauci.mrmc(study, AUC())
    for measure in (PDI(), Macro(AUC())):
        with pytest.raises(InputError, match="one score"):
            pauci.mrmc(study, measure)
    for text in (fixed.by_reader.summary(), study.summary(), str(fixed.to_json())):
        assert "positives" not in text
    without = data[(data["reader"] != 1) | (data["label"] != "late")]
    with pytest.raises(
        UndefinedError, match="reader '1' in modality 'digital': class 'late' has 0"
    ):
        pauci.ReaderStudy.from_frame(without, classes=ORDER)
    assert "Class late" in report_of(fixed)
    with pytest.raises(InputError, match="order"):
        pauci.ReaderStudy.from_frame(data, classes=ORDER, positive="late")


@pytest.mark.filterwarnings("ignore::pauci.errors.SmallRegionWarning")
@pytest.mark.parametrize(
    "measure",
    [
        PDI(),
        HandTill(),
        Macro(AUC()),
        Macro(AUC(), "prevalence"),
        Macro(pauci.PAUC(fpr=(0, 0.4))),
        Macro(pauci.Brier()),
        VersusRest(AUC(), "late"),
    ],
    ids=repr,
)
def test_readers_with_a_column_for_each_class(measure):
    """Cells have the estimates of samples, and fixed readers the covariance of pairs."""
    rng = np.random.default_rng(4)
    code = np.repeat([0, 1, 2], [30, 25, 20])
    common, rows = rng.normal(size=(75, 3)), []
    for modality, distance in (("film", 0.8), ("digital", 1.1)):
        for reader in ("Ann", "Bob", "Cleo"):
            z = np.exp(distance * np.eye(3)[code] + 0.5 * common + rng.normal(size=(75, 3)))
            p = z / z.sum(axis=1, keepdims=True)
            rows += [(modality, reader, i, ORDER[code[i]], *p[i]) for i in range(75)]
    data = pd.DataFrame(rows, columns=["modality", "reader", "case", "label", *ORDER])
    alone = data[data["reader"] == "Bob"]
    matrices = {m: alone.loc[alone["modality"] == m, ORDER].to_numpy() for m in ("digital", "film")}
    sample = Sample.from_classes(np.array(ORDER)[code], matrices, ORDER)
    study = pauci.ReaderStudy.from_frame(data, score=ORDER, classes=ORDER)
    analysis = pauci.mrmc(study, measure)
    by_reader = analysis.readers.set_index(["modality", "reader"])
    for e in estimate(sample, measure):
        modality = e.classifier.split(":")[0]
        found = by_reader.loc[(modality, "Bob"), ["value", "se", "low", "high"]].tolist()
        assert found == pytest.approx([e.value, e.se, *e.interval()], rel=1e-9)
    one = pauci.mrmc(
        pauci.ReaderStudy.from_frame(alone, score=ORDER, classes=ORDER), measure, readers="fixed"
    )
    paired = compare(sample, measure)
    assert one.differences["difference"][0] == pytest.approx(paired.difference, rel=1e-9)
    assert one.differences["se"][0] == pytest.approx(paired.se, rel=1e-9)
    means = by_reader["value"].groupby("modality").mean()
    assert analysis.estimates.set_index("modality")["value"].to_dict() == pytest.approx(
        means.to_dict()
    )


def test_columns_of_readers_are_checked():
    data = pd.DataFrame(
        {"reader": "Ann", "modality": "a", "case": range(9), "label": [*"abc"] * 3}
        | {c: np.arange(9.0) for c in "abc"}
    )
    for options, words in (
        ({"score": ["a", "b"], "classes": [*"abc"]}, "has 2 columns"),
        ({"score": ["a", "b", "x"], "classes": [*"abc"]}, "not a column"),
        ({"score": ["a", "b", "case"], "classes": [*"abc"]}, "used for two"),
        ({"score": ["a", "b"], "positive": "a"}, "3 distinct|2 columns"),
    ):
        with pytest.raises(InputError, match=words):
            pauci.ReaderStudy.from_frame(data, **options)
    study = pauci.ReaderStudy.from_frame(data, score=[*"abc"], classes=[*"abc"])
    assert "do not add up to 1" in repr(study)
    with pytest.raises(InputError, match="do not add up"):
        pauci.mrmc(study, Macro(pauci.Brier()), readers="fixed")
    data.loc[4, "b"] = np.nan
    with pytest.raises(InputError, match="case 4"):
        pauci.ReaderStudy.from_frame(data, score=[*"abc"], classes=[*"abc"])
    fewer = pauci.ReaderStudy.from_frame(data, score=[*"abc"], classes=[*"abc"], drop_missing=True)
    assert fewer.dropped == 1


def test_scorers_of_cross_validation():
    model_selection = pytest.importorskip("sklearn.model_selection")
    linear = pytest.importorskip("sklearn.linear_model")
    x, y = pytest.importorskip("sklearn.datasets").load_iris(return_X_y=True)
    x, model = x[:, :2], linear.LogisticRegression(max_iter=5000)

    def scores(scoring):
        return model_selection.cross_val_score(model, x, y, cv=3, scoring=scoring)

    expected = scores("roc_auc_ovr")
    for scoring in (Macro(AUC()).scorer(), Macro(AUC()), AUC()):
        assert scores(scoring) == pytest.approx(expected, rel=1e-12)
    assert scores(HandTill().scorer()) == pytest.approx(scores("roc_auc_ovo"), rel=1e-12)
    binary = model_selection.cross_val_score(model, x, y == 1, cv=3, scoring=AUC())
    assert binary == pytest.approx(
        model_selection.cross_val_score(model, x, y == 1, cv=3, scoring="roc_auc"), rel=1e-12
    )
    assert (scores(Macro(pauci.Brier())) < 0.0).all()


def test_results_are_presented(frame):
    es = estimate(both(frame), [VersusRest(AUC(), "late"), Macro(AUC())])
    assert "148 none, 99 early, 53 late" in es.summary()
    assert "average" in es.to_markdown()
    e = estimate(single(frame)["marker"], VUS())
    assert e.to_dict()
    assert "volume under the ROC surface" in e.report()
    import pickle

    assert pickle.loads(pickle.dumps(e)).value == e.value
