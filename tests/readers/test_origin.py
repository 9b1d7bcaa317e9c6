"""Messages about invalid readings: rows and lines of the data, with reader, modality and case."""

import numpy as np
import pandas as pd
import pytest

import pauci
from reader_studies import roe_metz

FRAME = roe_metz(np.random.default_rng(5), 3, 4, 6)
WIDE = FRAME.pivot_table(index=["case", "label"], columns=["reader", "modality"], values="score")
SAID = {f"{r}_{m}": (r, m) for r, m in WIDE.columns}
WIDE = WIDE.set_axis(list(SAID), axis=1).reset_index()


def refusal(*arguments, **options):
    with pytest.raises((pauci.InputError, pauci.InputTypeError)) as error:
        pauci.ReaderStudy.from_frame(*arguments, **options)
    return str(error.value)


def wide(frame, **options):
    return refusal(frame, **{"reader": None, "modality": None, "score": SAID, **options})


@pytest.mark.parametrize("value", [np.nan, np.inf, "high"])
def test_a_bad_score_is_named_with_reader_modality_and_case(value):
    frame = FRAME.astype({"score": object})
    frame.loc[14, "score"] = value
    row = frame.loc[14]
    words = refusal(frame if value == "high" else frame.astype({"score": float}))
    assert "row 14" in words
    reading = (
        f"case {row['case']}, read by reader {row['reader']!r} in modality {row['modality']!r}"
    )
    assert reading in words


def test_rows_of_wide_data_are_those_that_were_passed():
    bad = WIDE.copy()
    bad.loc[3, "r2_B"] = np.inf
    words = wide(bad)
    assert "(row 3)" in words
    assert "case 3, read by reader 'r2' in modality 'B'" in words
    again = pd.concat([WIDE, WIDE.iloc[[2]]], ignore_index=True)
    again.loc[2, "r0_A"] = np.nan
    words = wide(again)
    assert "reader 'r0' has 2 readings of case 2 in modality 'B'" in words
    assert "(rows 2, 10)" in words
    turned = pd.concat([WIDE, WIDE.iloc[[2]].assign(label=0)], ignore_index=True)
    assert "case 2 has two truths, 1 and 0," in wide(turned)
    same = SAID | {"r1_A": ("r0", "A")}
    words = wide(WIDE, score=same)
    assert "reader 'r0' has 2 readings of case 0 in modality 'A'" in words
    assert "(row 0)" in words
    for argument in ("case", "label"):
        words = wide(WIDE.assign(**{argument: WIDE[argument].where(WIDE.index != 4)}))
        assert f"column {argument!r} has 1 missing value (row 4)" in words
    patient = WIDE["case"].where(WIDE.index != 4)
    words = wide(WIDE.assign(patient=patient), cluster="patient")
    assert "column 'patient' has 1 missing value (row 4)" in words
    assert "used for another argument" in wide(WIDE, score=SAID | {"label": ("r9", "A")})


def lines(*more):
    truth = [f"-1,{c},0,{int(c > 4)}" for c in range(1, 9)]
    each = [f"{r},{c},{m},{(c * 7 + r) % 9}" for r in (1, 2) for m in "AB" for c in range(1, 9)]
    return "\n".join(["any words", "BEGIN DATA:", *truth, "", *each, *more]) + "\n"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("2,3,B,5", r"reader '2' has 2 readings of case '3' in modality 'B'.*\(lines 38, 44\)"),
        ("2,9,B,nan", "line 44 .* 'nan' of reader '2', case '9', modality 'B' is not a number"),
        ("2,9,B,inf", "line 44 .* not a number"),
        ("2,9,B,5", "case '9', read by reader '2' in modality 'B', has no row with the truth"),
        ("1 ,3,C,5", "reader '1' read no positives in modality 'C'"),
    ],
)
@pytest.mark.filterwarnings("ignore::pauci.errors.SwappedColumnsWarning")
def test_lines_of_an_imrmc_file(tmp_path, more, words):
    path = tmp_path / "study.imrmc"
    path.write_text(lines(more), encoding="utf-8")
    with pytest.raises(pauci.InputError, match=words):
        pauci.ReaderStudy.from_imrmc(path)


def test_rows_of_an_imrmc_frame():
    rows = [("truth", c, "truth", c > 4) for c in range(1, 9)]
    rows += [(r, c, "A", c) for r in (1, 2) for c in range(1, 9)]
    with pytest.raises(pauci.InputError, match=r"in modality 'A'.*\(rows 10, 24\)"):
        pauci.ReaderStudy.from_imrmc(pd.DataFrame([*rows, (1, 3, "A", 2)]))
    with pytest.raises(pauci.InputError, match=r"case '9', read by reader '1'.*row 24"):
        pauci.ReaderStudy.from_imrmc(
            pd.DataFrame([*rows, (1, 9, "A", np.nan), ("truth", 9, "truth", 1)])
        )


def test_columns_and_names():
    levels = FRAME.set_axis(pd.MultiIndex.from_product([FRAME.columns, ["x"]]), axis=1)
    assert "names columns of several levels" in refusal(levels)
    mixed = FRAME.assign(modality=FRAME["modality"].where(FRAME.index > 0, "a"))
    assert "has the modalities 'a' and 'A'" in refusal(mixed)


def test_a_study_without_random_factors_is_an_error():
    """A standalone reader with fixed cases has no error."""
    machine = FRAME[(FRAME["reader"] == "r0") & (FRAME["modality"] == "A")]
    study = pauci.ReaderStudy.from_frame(machine.assign(modality="AI"))
    assert pauci.mrmc(study, pauci.AUC(), standalone="AI").estimates["se"].item() > 0
    with pytest.raises(pauci.InputError, match="so that there is no standard error"):
        pauci.mrmc(study, pauci.AUC(), cases="fixed", standalone="AI")
    for method in (pauci.Bootstrap, pauci.Jackknife):
        with pytest.raises(pauci.InputTypeError, match=r"is a class; pass pauci\.\w+\(\)"):
            pauci.mrmc(study, pauci.AUC(), standalone="AI", method=method)
