"""Invalid input is counted and reported in the same way on every backend."""

import datetime
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import pauci
from backend_frames import EAGER, LAZY, rows
from pauci.backends.frames import backend_errors, missing_package

pytestmark = pytest.mark.backend
ALL = EAGER | LAZY


@pytest.fixture(params=LAZY)
def backend(request):
    return LAZY[request.param]


def changed(column, values, n=60):
    """Return rows whose first rows have other values in a column."""
    frame = rows(n)
    whole = list(frame[column])
    whole[: len(values)] = values
    frame[column] = (
        pd.Series(whole) if not isinstance(values[0], str) else pd.Series(whole, dtype=object)
    )
    return frame


def refused(frame, match, error=pauci.InputError, **given):
    with pytest.raises(error, match=match):
        pauci.Sample.from_frame(frame, **({"label": "y", "scores": ["a", "b"]} | given))


def test_missing_values_are_counted_with_their_column(backend):
    refused(backend(changed("b", [np.nan, np.nan])), "column 'b' has 2 missing values. Rows are")
    refused(
        backend(changed("truth", [None])),
        "column 'truth' has 1 missing value.",
        label="truth",
        positive="ill",
    )
    refused(
        backend(changed("w", [np.nan] * 3)), "weight column 'w' has 3 missing values", weight="w"
    )
    refused(
        backend(changed("patient", [None])),
        "cluster column 'patient' has 1 missing",
        cluster="patient",
    )


@pytest.mark.parametrize("eager", EAGER)
@pytest.mark.filterwarnings("ignore::pauci.errors.RepeatedRowsWarning")
def test_gaps_in_whole_numbers_of_eager_frames(eager):
    frame = rows(60)
    frame["rating"] = frame["rating"].astype("Int64")
    frame.loc[[3, 5], "rating"] = pd.NA
    wide = EAGER[eager](frame)
    refused(wide, r"column 'rating' has 2 missing values \(rows 3, 5\)", scores="rating")
    with pytest.warns(pauci.errors.MissingRowsWarning, match="2 of 60 rows were dropped"):
        s = pauci.Sample.from_frame(wide, label="y", scores="rating", drop_missing=True)
    with pytest.warns(pauci.errors.MissingRowsWarning):
        other = pauci.Sample.from_frame(frame, label="y", scores="rating", drop_missing=True)
    assert repr(s) == repr(other)


def test_nan_and_null_are_both_missing():
    pl = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    frame = pl.from_pandas(rows(60)).with_columns(
        pl.when(pl.int_range(60) < 2)
        .then(None)
        .when(pl.int_range(60) < 5)
        .then(float("nan"))
        .otherwise(pl.col("a"))
        .alias("a")
    )
    connection = duckdb.connect()
    for lazy in (frame.lazy(), connection.from_arrow(frame.to_arrow())):
        refused(lazy, "column 'a' has 5 missing values")
        with pytest.warns(
            pauci.errors.MissingRowsWarning, match="5 of 60 rows were dropped.*5 in column"
        ):
            s = pauci.Sample.from_frame(lazy, label="y", scores="a", drop_missing=True)
        assert s.n_pos + s.n_neg == 55
        assert s.rows.dropped == 5


def test_infinite_scores(backend):
    frame = changed("a", [np.inf, -np.inf, np.inf])
    refused(backend(frame), "column 'a' has 3 infinite values. Clip them")
    refused(backend(frame), "column 'a' has 3 infinite values", drop_missing=True)
    refused(backend(changed("w", [np.inf])), "weight column 'w' holds inf in 1 row", weight="w")


def test_dropped_rows_are_counted_and_reported(backend):
    frame = changed("a", [np.nan, np.nan])
    frame.loc[10, "b"] = np.nan
    with pytest.warns(
        pauci.errors.MissingRowsWarning,
        match="3 of 60 rows were dropped .* 2 in column 'a', 1 in column 'b'",
    ):
        s = pauci.Sample.from_frame(backend(frame), label="y", scores=["a", "b"], drop_missing=True)
    kept = frame.dropna(subset=["a", "b"])
    assert (s.n_pos, s.n_neg) == (kept["y"].sum(), (1 - kept["y"]).sum())
    frame["a"] = np.nan
    refused(backend(frame), "leaves no row: all 60 lack a value", drop_missing=True)


@pytest.mark.filterwarnings("ignore::pauci.errors.PauciWarning")
def test_codes_are_compared_with_columns_of_their_type(backend):
    frame = rows(60).assign(count=np.arange(60, dtype=np.uint64))
    for scores, code in (("sick", 99), ("count", -1), ("count", "none"), ("sick", "none")):
        refused(backend(frame), f"missing={code!r} is not a value", scores=scores, missing=code)
    frame["day"] = np.datetime64("2020-01-01", "us") + np.arange(60) % 3 * np.timedelta64(1, "D")
    days = [datetime.datetime(2020, 1, k) for k in (1, 2, 3)]
    options = {"positive": days[2], "drop_missing": True}
    for known in ({"negative": days[0]}, {"missing": {"day": days[1]}}):
        sample = pauci.Sample.from_frame(backend(frame), "day", "a", **known, **options)
        assert (sample.n_pos, sample.n_neg) == (20, 20)


@pytest.mark.filterwarnings("ignore::pauci.errors.MissingRowsWarning")
def test_codes_that_are_not_dropped_are_counted(backend):
    frame = rows(60)
    frame.loc[:4, "rating"], frame.loc[3::4, "truth"], frame["b"] = -1, "unknown", np.nan
    frame.loc[1, "rating"] = -2
    for given in (frame, backend(frame)):
        refused(
            given,
            "column 'rating' has 4 missing values.*by its codes",
            label="truth",
            scores=["b", "rating"],
            positive="ill",
            negative="well",
            missing={"rating": [-1, -2]},
        )


@pytest.mark.filterwarnings("ignore::pauci.errors.PauciWarning")
@pytest.mark.parametrize("options", [{"negative": "well"}, {"negative": "well", "missing": -1}])
def test_dropped_rows_are_counted_among_those_with_all_labels(backend, options):
    frame = rows(60)
    frame.loc[::4, "truth"], frame.loc[:8, "a"], frame.loc[:5, "rating"] = "unknown", np.nan, -1
    messages = []
    for given in (frame, backend(frame)):
        with pytest.warns(pauci.errors.MissingRowsWarning) as caught:
            pauci.Sample.from_frame(
                given, "truth", ["a", "rating"], "ill", drop_missing=True, **options
            )
        messages.append({re.sub(r" \(rows .*\)", "", str(w.message)) for w in caught})
    assert messages[0] == messages[1]
    refused(
        backend(frame.assign(a=np.nan)),
        "leaves no row: all 45 lack",
        label="truth",
        positive="ill",
        drop_missing=True,
        **options,
    )


def test_labels(backend):
    refused(backend(changed("y", [2, 3])), "column 'y' has 4 distinct values")
    refused(backend(rows(60)), "holds the labels 'ill', 'well'; which one", label="truth")
    refused(
        backend(rows(60)),
        "positive='sick' is not among the labels of column 'truth'",
        label="truth",
        positive="sick",
    )
    refused(backend(rows(60).query("y == 1")), r"one class only: all \d+ rows are 1")
    ill = rows(600).query("y == 1")
    refused(backend(ill), f"holds one class only: all {len(ill)} rows are 1", scores="rating")


def test_columns(backend):
    lazy = backend(rows(60))
    refused(lazy, "label='Y' is not a column. Did you mean 'y'?", label="Y")
    refused(lazy, "scores='aa' is not a column", scores="aa")
    refused(lazy, "names 'a' twice", scores=["a", "a"])
    refused(lazy, "the column of the labels", scores=["y"])
    refused(lazy, "is not a column", weight="wt")
    refused(lazy, "column 'truth' has dtype .*, not numbers", pauci.InputTypeError, scores="truth")
    refused(lazy, "has dtype .*; pass numbers", pauci.InputTypeError, weight="patient")


def test_weights_and_frequencies(backend):
    refused(backend(changed("w", [-1.0])), "weight column 'w' holds -1.0; it must not", weight="w")
    refused(backend(changed("f", [-1])), "holds -1; it must not be negative", frequency="f")
    frame = rows(60)
    frame["f"] = frame["f"] + 0.5
    refused(backend(frame), "holds 60 numbers with fractions.*weight=", frequency="f")
    frame = rows(60)
    frame["w"] = np.where(frame["y"] == 1, 0.0, 1.0)
    refused(backend(frame), "weight is 0 in all", weight="w")
    frame.loc[:1, "w"] = [1e-300, 1e300]
    refused(backend(frame), "differ by more than a factor of 1e\\+77", weight="w")
    frame["f"] = 2**61
    refused(backend(frame), "adds up to 1.38e\\+20", frequency="f")


def test_no_rows(backend):
    refused(backend(rows(60).query("a > 99")), "is empty; pass at least one positive")


def test_options(backend):
    refused(backend(rows(60)), "design=", design="cohorts")
    refused(backend(rows(60)), "drop_missing=", pauci.InputTypeError, drop_missing="yes")
    refused(backend(rows(60)), "is not a classifier", lower_is_positive="c")


@pytest.mark.parametrize("backend_name", ["polars", "polars lazy", "dask"])
@pytest.mark.filterwarnings("ignore::pauci.errors.RepeatedRowsWarning")
def test_ordered_categories_are_an_ordinal_scale(backend_name):
    frame = rows(200)
    names = ["none", "low", "middle", "high", "highest", "sure", "surer", "surest"]
    codes = frame["rating"].to_numpy()
    frame["grade"] = pd.Categorical.from_codes(codes, names, ordered=True)
    wide = ALL[backend_name](frame)
    if "polars" in backend_name:
        pl = pytest.importorskip("polars")
        wide = wide.with_columns(pl.col("grade").cast(pl.String).cast(pl.Enum(names)))
    for lower in (False, True):
        given = {"label": "y", "scores": "grade", "lower_is_positive": lower}
        sample, other = (pauci.Sample.from_frame(f, **given) for f in (wide, frame))
        measure = pauci.PAUCc(threshold=("low", "sure"))
        with pytest.warns(pauci.errors.ReversedScoresWarning) if lower else _nothing():
            e, o = (pauci.estimate(s, measure) for s in (sample, other))
        assert (e.value, e.se) == pytest.approx((o.value, o.se), rel=1e-12)
        assert e.region.threshold == o.region.threshold


class _nothing:  # noqa: N801
    def __enter__(self):
        return self

    def __exit__(self, *args):
        return False


@pytest.mark.filterwarnings("ignore::pauci.errors.RepeatedRowsWarning")
def test_unordered_categories_have_no_direction():
    pl = pytest.importorskip("polars")
    frame = pl.from_pandas(rows(60)).with_columns(pl.col("truth").cast(pl.Categorical))
    for each in (frame, frame.lazy()):
        refused(each, "unordered Categorical", pauci.InputTypeError, scores="truth")
        s = pauci.Sample.from_frame(each, label="truth", scores="a", positive="ill")
        assert s.n_pos == rows(60)["y"].sum()


def test_types_of_duckdb():
    duckdb = pytest.importorskip("duckdb")
    con = duckdb.connect()
    query = (
        "select case when i % 3 = 0 then 0.5 else 1.25 end as w, (i * 7919) % 50 + y as a, y, "
        "((i * 31) % 11)::hugeint as h, ((i * 31) % 11)::decimal(9, 2) / 4 as d, "
        "((i * 31) % 7)::utinyint as u, date '2026-01-01' + i::int % 9 as c "
        "from (select i, (i % 5 < 2)::int as y from range(200) t(i))"
    )
    relation = con.sql(query)
    frame = relation.df().assign(w=lambda f: f["w"].astype(float), d=lambda f: f["d"].astype(float))
    given = {"label": "y", "scores": ["a", "h", "d", "u"], "weight": "w", "cluster": "c"}
    sample, other = (pauci.Sample.from_frame(f, **given) for f in (relation, frame))
    estimates, others = (pauci.estimate(s, pauci.AUC()) for s in (sample, other))
    np.testing.assert_allclose(estimates.cov, others.cov, rtol=1e-11, atol=1e-16)
    assert isinstance(frame["c"].iloc[0], (datetime.date, pd.Timestamp))


def test_arguments_that_are_not_frames():
    for frame in ({"y": [0, 1]}, np.zeros((2, 2)), "frame.csv", [1, 2]):
        with pytest.raises(pauci.InputTypeError, match="frame is a"):
            pauci.Sample.from_frame(frame, label="y", scores="a")


@pytest.mark.filterwarnings("ignore::pauci.errors.RepeatedRowsWarning")
def test_arrow_streams_are_read():
    pa = pytest.importorskip("pyarrow")
    table = pa.Table.from_pandas(rows(), preserve_index=False)
    expected = pauci.estimate(pauci.Sample.from_frame(table, "y", "a"), pauci.AUC())
    (batch,) = table.to_batches()
    for frame in (batch, table.to_reader(max_chunksize=100)):
        found = pauci.estimate(pauci.Sample.from_frame(frame, "y", "a"), pauci.AUC())
        assert found.value == expected.value
        assert found.se == expected.se


def test_clusters_of_spans_of_time_are_clusters():
    connection = pytest.importorskip("duckdb").connect()
    frame = rows()
    connection.register("given", frame)
    spans = connection.sql("select y, a, to_days(ward::int) as ward from given")
    found, expected = (
        pauci.estimate(pauci.Sample.from_frame(f, "y", "a", cluster="ward"), pauci.AUC())
        for f in (spans, frame)
    )
    assert found.se == pytest.approx(expected.se, rel=1e-12)


def test_errors_of_an_engine_are_errors_of_pauci():
    pl = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    relation = connection.sql("select 1 as y, 2 as a, 3 as b")
    connection.close()
    refused(relation, "DuckDB says: Connection Error: Connection has already been closed")
    refused(pl.scan_parquet("nowhere.parquet"), "Polars says: ")
    other = duckdb.connect()
    wide = other.sql("select i % 2 as y, (i::hugeint << 70) as a from range(9) t(i)")
    refused(wide, "DuckDB says: Conversion Error", scores="a")


@pytest.mark.parametrize("backend_name", ["polars", "polars lazy"])
@pytest.mark.parametrize("part", ["label", "cluster", "fold", "weight", "scores"])
def test_lists_and_structures_are_not_valid_scores(backend_name, part):
    pl = pytest.importorskip("polars")
    frame = ALL[backend_name](rows(60)).with_columns(
        pl.struct("a").alias("s"), pl.concat_list("a").alias("l")
    )
    for name in ("s", "l"):
        refused(
            frame,
            f"column '{name}' has dtype .*; a value must be one number, text or date",
            pauci.InputTypeError,
            **{part: name},
        )


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("Query interrupted"),
        type("InterruptException", (Exception,), {})("INTERRUPT Error: Interrupted!"),
    ],
    ids=["ctrl-c", "interrupt()"],
)
def test_an_interrupt_of_an_engine_is_a_keyboard_interrupt(error):
    with pytest.raises(KeyboardInterrupt), backend_errors(None):
        raise error
    with pytest.raises(RuntimeError, match="another"), backend_errors(None):
        raise RuntimeError("another")


def test_a_missing_engine_gives_one_install_command():
    def said(error):
        return str(error)

    assert "Install the extra duckdb: " in said(missing_package("duckdb", "duckdb"))
    assert "Install the extra polars: " in said(missing_package("polars", "polars"))
    assert "Install the extra spark: " in said(missing_package("pyspark", "spark"))
    assert 'install "narwhals"' in said(missing_package("narwhals", "narwhals"))
    assert 'install "ibis-framework[duckdb]"' in said(missing_package("pyarrow", "ibis"))


def test_cells_of_whole_numbers_beyond_doubles():
    frame = rows(300)
    frame["a"] = 2**60 + np.arange(300) * 400
    refused(LAZY["duckdb"](frame), "above 2\\^53.*resolution='exact'", scores="a", resolution=8)
    for resolution in ("exact", 2**14):
        sample = pauci.Sample.from_frame(LAZY["duckdb"](frame), "y", "a", resolution=resolution)
        assert sample.ratings().table.size == 300


@pytest.mark.parametrize("kind", ALL)
def test_decimals_are_the_nearest_doubles(kind):
    pa = pytest.importorskip("pyarrow")
    decimals = [Decimal(i) / 100 for i in range(-300, 300)]
    frame = pd.DataFrame(
        {
            "y": np.arange(600) % 2,
            "a": pd.Series(decimals, dtype=pd.ArrowDtype(pa.decimal128(9, 2))),
        }
    )
    sample = pauci.Sample.from_frame(ALL[kind](frame), "y", "a")
    np.testing.assert_array_equal(np.sort(sample.ratings().values), [float(d) for d in decimals])


def test_an_empty_table_of_categories():
    pa = pytest.importorskip("pyarrow")
    ratings = pa.dictionary(pa.int8(), pa.string(), ordered=True)
    table = pa.schema({"y": pa.int64(), "a": ratings, "b": ratings}).empty_table()
    refused(table, "column 'y' is empty")


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.filterwarnings("ignore::pauci.errors.RepeatedRowsWarning")
def test_decimals_that_are_equal_as_doubles(kind):
    pa = pytest.importorskip("pyarrow")
    frame = rows(60)
    whole = [Decimal(2**58 + i) for i in range(60)]
    decimals = pd.Series(whole, dtype=pd.ArrowDtype(pa.decimal128(38, 0)))
    if kind == "dask":
        pytest.skip("Dask has columns of pandas")
    given = ALL[kind](frame.assign(a=decimals))
    refused(given, r"column 'a' holds decimals of up to 2.88e\+17")
    refused(given, "column 'a' holds decimals", scores=["b"], cluster="a")
    small = pd.Series([Decimal(i) for i in range(60)], dtype=pd.ArrowDtype(pa.decimal128(38, 0)))
    taken = pauci.Sample.from_frame(ALL[kind](frame.assign(a=small)), "y", "a")
    expected = pauci.Sample(frame["y"], np.arange(60))
    assert pauci.estimate(taken, pauci.AUC()).value == pauci.estimate(expected, pauci.AUC()).value


@pytest.mark.parametrize(
    ("query", "given"),
    [
        ("select * from frame using sample 50% (bernoulli)", {}),
        ("select * from frame using sample 50% (bernoulli)", {"frequency": "f"}),
        ("select y, random() a, b from frame", {}),
        ("select y, random() a, b from frame", {"resolution": 4}),
        ("select (random() < .5)::int y, a, b from frame", {}),
    ],
)
def test_rows_drawn_at_random_in_each_query(query, given):
    """With a seed: of two draws of the labels, one in 100 has as many positives as the other."""
    duckdb = pytest.importorskip("duckdb")
    frame = rows(3000).assign(f=1)
    with duckdb.connect() as connection:
        connection.execute("set threads = 1")
        connection.execute("select setseed(0.25)").fetchall()
        connection.register("frame", frame)
        refused(connection.sql(query), "differ each time they are read", **given)


@pytest.mark.parametrize("backend_name", ["polars", "polars lazy"])
@pytest.mark.parametrize("column", ["y", "a"])
@pytest.mark.filterwarnings("ignore::pauci.errors.RepeatedRowsWarning")
def test_integers_of_128_bits(backend_name, column):
    pl = pytest.importorskip("polars")
    if not hasattr(pl, "Int128"):
        pytest.skip("this version of Polars has no integers of 128 bits")
    frame = rows()
    frame = frame.assign(a=frame["y"] * len(frame) // 2 + np.arange(len(frame)))
    expected = pauci.Sample.from_frame(frame, "y", "a")
    wide = ALL[backend_name](frame).with_columns(pl.col(column).cast(pl.Int128))
    sample = pauci.Sample.from_frame(wide, "y", "a")
    assert pauci.estimate(sample, pauci.AUC()).value == pauci.estimate(expected, pauci.AUC()).value
    beyond = wide.with_columns(a=pl.col("a").cast(pl.Int128) * pl.lit(2**70, dtype=pl.Int128))
    with pytest.raises(pauci.InputError, match=r"64-bit integer|from `i128` to `i64`"):
        pauci.Sample.from_frame(beyond, "y", "a")
    below = wide.with_columns(
        a=pl.when(pl.col("a") > 3).then(pl.col("a").cast(pl.Int128) + pl.lit(2**63))
    )
    if backend_name == "polars":
        with pytest.warns(pauci.errors.MissingRowsWarning):
            shifted = pauci.Sample.from_frame(below, "y", "a", drop_missing=True)
        assert shifted.n_pos + shifted.n_neg == (frame["a"] > 3).sum()


@pytest.mark.parametrize("name", ["pandas", "polars", "polars lazy", "duckdb"])
def test_the_name_of_a_single_classifier(name):
    if name not in ALL:
        pytest.skip(f"{name} is not installed")
    frame = rows()
    expected = pauci.Sample.from_frame(frame, "y", "a", cluster="ward")
    for resolution in ("exact", 250):
        sample = pauci.Sample.from_frame(
            ALL[name](frame), "y", "a", cluster="ward", name="validation", resolution=resolution
        )
        assert sample.names == ("validation",)
        found = pauci.estimate(sample, pauci.AUC())
        assert found.classifier == "validation"
        assert found.se == pytest.approx(pauci.estimate(expected, pauci.AUC()).se, rel=1e-12)
