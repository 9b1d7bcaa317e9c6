"""Studies of every design, long, wide and from iMRMC, and errors about invalid ones."""

import warnings

import numpy as np
import pandas as pd
import pytest

import pauci
from reader_studies import roe_metz, viper

FRAME = roe_metz(np.random.default_rng(3), readers=3, n_pos=4, n_neg=6)


def study(frame=FRAME, **options):
    return pauci.ReaderStudy.from_frame(frame, **options)


def same(a, b):
    """Two studies with the same readings."""
    assert a.readers == b.readers
    assert a.modalities == b.modalities
    for one, other in zip(a.cells, b.cells, strict=True):
        assert (one.reader, one.modality) == (other.reader, other.modality)
        x = {a.case_ids[c]: v for c, v in zip(one.cases, one.ratings.values, strict=True)}
        y = {b.case_ids[c]: v for c, v in zip(other.cases, other.ratings.values, strict=True)}
        assert {str(k): v for k, v in x.items()} == {str(k): v for k, v in y.items()}
        assert one.ratings.rows.counts == other.ratings.rows.counts


def nested_in_readers():
    return FRAME.assign(case=FRAME["reader"] + FRAME["case"].astype(str))


def nested_in_modalities():
    return FRAME.assign(case=FRAME["modality"] + FRAME["case"].astype(str))


def readers_in_one_modality():
    return FRAME.assign(reader=FRAME["reader"] + FRAME["modality"])


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        pytest.param(FRAME, "factorial", id="factorial"),
        pytest.param(FRAME.drop(index=[1, 17]), "factorial, 2 readings missing", id="missing"),
        pytest.param(nested_in_readers(), "cases nested in readers", id="cases in readers"),
        pytest.param(
            nested_in_modalities(), "factorial, cases nested in modalities", id="in modalities"
        ),
        pytest.param(
            readers_in_one_modality(), "factorial, readers nested in modalities", id="readers"
        ),
        pytest.param(
            roe_metz(np.random.default_rng(1), 6, 5, 5, blocks=3),
            "split-plot (3 blocks)",
            id="split-plot",
        ),
        pytest.param(FRAME[FRAME["reader"] == "r0"], "one reader", id="one reader"),
    ],
)
def test_the_design_is_determined_from_the_data(frame, words):
    s = study(frame)
    assert s.design == words
    assert words in " ".join(s.summary().split())
    assert s.n_readings == len(frame)
    table = s.to_frame()
    assert table["n_pos"].sum() + table["n_neg"].sum() == len(frame)


def test_viper_is_split_plot():
    s = viper("challengeMedP")
    assert s.design == "split-plot (4 blocks), 13 readings missing"
    assert [len(b) for b in s.layout.blocks] == [5, 5, 5, 5]


def test_wide_data_are_long_data():
    cells = FRAME.pivot_table(index=["case", "label"], columns=["reader", "modality"])["score"]
    columns = {f"{r}_{m}": (r, m) for r, m in cells.columns}
    # The order of readers and modalities is that of the dict.
    columns = dict(sorted(columns.items(), key=lambda item: item[1][::-1]))
    wide = pd.DataFrame({name: cells[key] for name, key in columns.items()}).reset_index()
    same(study(wide, reader=None, modality=None, score=columns), study())
    by_reader = FRAME.pivot_table(index=["modality", "case", "label"], columns="reader")["score"]
    names = {name: name for name in by_reader.columns}
    got = study(by_reader.reset_index(), reader=None, score=names)
    assert {c.ratings.curve.table.size for c in got.cells} == {10}
    assert pauci.mrmc(got, pauci.AUC()).differences["difference"].item() == pytest.approx(
        pauci.mrmc(study(), pauci.AUC()).differences["difference"].item(), rel=1e-12
    )


def test_an_empty_cell_of_wide_data_is_a_missing_reading():
    wide = pd.DataFrame(
        {"case": range(6), "label": [0, 1] * 3, "a": [1, 2, 3, 4, 5, np.nan], "b": range(6)}
    )
    s = study(wide, reader=None, modality=None, score={"a": "Ann", "b": "Bob"})
    assert s.n_readings == 11
    assert s.design == "factorial, 1 reading missing"


def imrmc_rows(frame):
    truth = frame.drop_duplicates("case")
    rows = [("-1", c, "truth", t) for c, t in zip(truth["case"], truth["label"], strict=True)]
    return rows + list(frame[["reader", "case", "modality", "score"]].itertuples(index=False))


def test_imrmc_frame_and_file(tmp_path):
    rows = imrmc_rows(FRAME)
    same(pauci.ReaderStudy.from_imrmc(pd.DataFrame(rows)), study())
    path = tmp_path / "study.imrmc"
    lines = [
        ",".join(map(repr, r)).replace("'", "").replace("np.float64(", "").replace(")", "")
        for r in rows
    ]
    path.write_text("NR: 3\nN0: 6\nBEGIN DATA:\n" + "\n".join(lines) + "\n", encoding="utf-8")
    same(pauci.ReaderStudy.from_imrmc(path), study())
    path.write_text("reader,case,modality,score\n" + "\n".join(lines), encoding="utf-8")
    same(pauci.ReaderStudy.from_imrmc(str(path)), study())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param(
            lambda r: r[1:], "case '.*' in modality|has no row with the truth", id="truth"
        ),
        pytest.param(lambda r: [("-1", r[0][1], "truth", 1 - r[0][3]), *r], "two truths", id="two"),
        pytest.param(lambda r: [("-1", 99, "truth", 7), *r], "must be 0 or 1", id="no truth"),
        pytest.param(lambda r: [x for x in r if x[0] != "-1"], "no rows with the truth", id="none"),
    ],
)
def test_bad_imrmc(change, words):
    with pytest.raises(pauci.InputError, match=words):
        pauci.ReaderStudy.from_imrmc(pd.DataFrame(change(imrmc_rows(FRAME))))


def test_imrmc_of_something_else(tmp_path):
    with pytest.raises(pauci.InputTypeError, match="four columns"):
        pauci.ReaderStudy.from_imrmc([1, 2])
    with pytest.raises(pauci.InputError, match="have four"):
        pauci.ReaderStudy.from_imrmc(FRAME)
    with pytest.raises(pauci.InputError, match="cannot be read"):
        pauci.ReaderStudy.from_imrmc(tmp_path / "none.imrmc")
    path = tmp_path / "bad.imrmc"
    path.write_text("BEGIN DATA:\n-1,1,truth\n", encoding="utf-8")
    with pytest.raises(pauci.InputError, match=r"line 2 .* 3 fields"):
        pauci.ReaderStudy.from_imrmc(path)
    path.write_text("BEGIN DATA:\n-1,1,truth,1\nann,1,film,high\n", encoding="utf-8")
    with pytest.raises(pauci.InputError, match="'high' of reader 'ann', case '1'"):
        pauci.ReaderStudy.from_imrmc(path)


def with_row(**values):
    return pd.concat([FRAME, FRAME.iloc[[0]].assign(**values)], ignore_index=True)


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        pytest.param(
            with_row(score=9.0),
            r"reader 'r0' has 2 readings of case 0 in modality 'A'.*0, 60",
            id="two readings",
        ),
        pytest.param(
            with_row(reader="r9", label=0),
            r"case 0 has two truths, 1 and 0,.*\(rows 0, 60\)",
            id="two truths",
        ),
        pytest.param(
            FRAME[(FRAME["reader"] != "r1") | (FRAME["modality"] != "B") | (FRAME["label"] == 0)],
            "reader 'r1' read no positives in modality 'B': all 6 cases",
            id="one class",
        ),
        pytest.param(with_row(reader="R0 ", case=99), "'r0' and 'R0 '", id="misspelt reader"),
        pytest.param(with_row(modality=None, case=99), "'modality' has 1 missing", id="missing"),
        pytest.param(with_row(case=99, score=np.nan), "'score' has 1 missing", id="no score"),
        pytest.param(with_row(case=99, label=2), "3 distinct values", id="three labels"),
        pytest.param(FRAME.iloc[:0], "no row", id="empty"),
    ],
)
def test_bad_data_are_named(frame, words):
    with pytest.raises(pauci.InputError, match=words):
        study(frame)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"reader": "raeder"}, "Did you mean 'reader'"),
        ({"modality": "modalty"}, "Did you mean 'modality'"),
        ({"score": "scores"}, "Did you mean 'score'"),
        ({"score": "case"}, "used for two"),
        ({"cluster": "patient"}, "is not a column"),
        ({"sampling": "random"}, "sampling"),
        ({"score": {}}, "names no column"),
    ],
)
def test_bad_options_are_named(options, words):
    with pytest.raises(pauci.InputError, match=words):
        study(**options)


def test_arguments_that_are_not_frames():
    with pytest.raises(pauci.InputTypeError, match="pass a pandas DataFrame"):
        study([1, 2])
    with pytest.raises(pauci.InputTypeError, match="must name a column"):
        study(reader=None)
    with pytest.raises(pauci.InputTypeError, match="test"):
        study(test="modality")


def test_a_case_in_two_clusters():
    frame = FRAME.assign(patient=FRAME["case"] // 2)
    frame.loc[3, "patient"] = 77
    with pytest.raises(pauci.InputError, match="case 3 has two clusters"):
        study(frame, cluster="patient")


def test_lower_is_positive_is_the_negated_score():
    a = pauci.mrmc(study(), pauci.AUC())
    b = pauci.mrmc(study(FRAME.assign(score=-FRAME["score"]), lower_is_positive=True), pauci.AUC())
    pd.testing.assert_frame_equal(a.differences, b.differences)


@pytest.mark.parametrize(("shared", "blocks"), [(2, 2), (3, 2), (4, 1), (5, 1)])
def test_readers_who_share_half_of_the_cases_of_the_one_with_fewer_are_one_block(shared, blocks):
    """Reader a read eight cases, b ten; the parameter is the number of common cases."""
    rng = np.random.default_rng(1)
    cases = {"a": range(8), "b": range(8 - shared, 18 - shared)}
    rows = [
        (reader, modality, case, case % 2, rng.normal())
        for reader, own in cases.items()
        for modality in "AB"
        for case in own
    ]
    frame = pd.DataFrame(rows, columns=["reader", "modality", "case", "label", "score"])
    found = pauci.ReaderStudy.from_frame(frame)
    assert len(found.layout.blocks) == blocks
    assert found.to_frame()["block"].nunique() == blocks
    assert found.layout.shared == (shared if blocks == 2 else 0)


@pytest.mark.parametrize(
    ("readers", "words"), [(3, "factorial, 24 readings missing"), (4, "partly crossed")]
)
def test_a_mostly_empty_study_has_no_named_design(readers, words):
    """Each reader shares half of eight cases with the next: 24 of 48 readings, or 32 of 80."""
    rows = [(f"r{r}", c) for r in range(readers) for c in range(4 * r, 4 * r + 8)]
    frame = pd.DataFrame(rows, columns=["reader", "case"])
    frame["label"], frame["score"] = frame["case"] % 2, np.arange(len(rows)) % 7
    found = pauci.ReaderStudy.from_frame(frame, modality=None)
    assert found.design == words
    assert found.layout.missing == readers * (4 * readers + 4) - 8 * readers


@pytest.mark.parametrize(("shared", "crossing"), [(9, "crossed"), (8, "partly crossed")])
def test_modalities_that_share_nine_tenths_of_their_cases_are_crossed(shared, crossing):
    rows = [
        (reader, modality, case, case % 2, case * 5 % 11)
        for reader in "ab"
        for modality, first in (("A", 0), ("B", 10 - shared))
        for case in range(first, first + 10)
    ]
    frame = pd.DataFrame(rows, columns=["reader", "modality", "case", "label", "score"])
    assert pauci.ReaderStudy.from_frame(frame).layout.cases_by_modalities == crossing


def test_hints_about_three_classes_apply_to_studies():
    three = FRAME.assign(
        label=np.where(FRAME["label"] == 1, "cancer", FRAME["case"] % 2).astype(str)
    )
    with pytest.raises(pauci.InputError, match="leave the rows with other labels out") as caught:
        pauci.ReaderStudy.from_frame(three, positive="cancer")
    assert "negative=" not in str(caught.value)


def test_whole_numbers_name_readers_and_modalities_without_a_point():
    wide = FRAME[FRAME["modality"] == "A"].pivot_table(
        index=["case", "label"], columns="reader", values="score"
    )
    names = {c: (float(i), 2.0) for i, c in enumerate(wide.columns)}
    s = pauci.ReaderStudy.from_frame(wide.reset_index(), reader=None, modality=None, score=names)
    assert s.readers == tuple(str(i) for i in range(len(names)))
    assert s.modalities == ("2",)


def test_columns_of_reader_and_modality_that_may_be_swapped():
    swapped = {"reader": "modality", "modality": "reader"}
    with pytest.warns(
        pauci.errors.SwappedColumnsWarning, match=r"3 modalities .* 2 readers"
    ) as caught:
        study(**swapped)
    (message,) = [str(w.message) for w in caught]
    assert "reader=" in message
    assert "modality=" in message
    assert caught[0].message.argument == "reader"
    film = FRAME[FRAME["modality"] == "A"]
    with pytest.warns(pauci.errors.SwappedColumnsWarning, match="1 reader"):
        study(film, **swapped)
    with warnings.catch_warnings():
        warnings.simplefilter("error", pauci.errors.SwappedColumnsWarning)
        study()
        study(film)
        study(FRAME[FRAME["reader"] == "r0"])  # one reader of two modalities
        study(pd.concat([film.assign(modality=name) for name in "ABC"]))
