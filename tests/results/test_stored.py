"""Results that are read from documents, and the published schema of documents."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import pauci
from pauci.results.stored import StoredResult
from tabular_results import MAKERS, result

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs/_static/result.schema.json").read_text(encoding="utf-8")
)

pytestmark = pytest.mark.filterwarnings("ignore::pauci.PauciWarning")

TYPES = {"object": dict, "array": list, "string": str, "null": type(None), "boolean": bool}
TYPES |= {"integer": int, "number": (int, float)}


def problems(value, schema, where="document"):
    """Yield what violates a JSON Schema, of which these keywords are known."""
    known = {"type", "required", "properties", "items", "anyOf", "enum", "const", "$ref"}
    assert set(schema) <= known | {"$schema", "$id", "$defs", "title", "description"}
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    is_flag = isinstance(value, bool) and "boolean" not in types
    if types and (
        is_flag
        or not isinstance(
            value,
            tuple(np.ravel([TYPES[t] for t in types[:1]]))
            + tuple(np.ravel([TYPES[t] for t in types[1:]])),
        )
    ):
        yield f"{where} is {value!r}, not {types}"
        return
    if "const" in schema and value != schema["const"]:
        yield f"{where} is {value!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where} is {value!r}"
    if "anyOf" in schema and all(list(problems(value, s, where)) for s in schema["anyOf"]):
        yield f"{where} is {value!r}, which no alternative allows"
    for key in schema.get("required", []):
        if key not in value:
            yield f"{where} lacks {key}"
    if isinstance(value, dict):
        for key, of_key in schema.get("properties", {}).items():
            if key in value:
                yield from problems(value[key], of_key, f"{where}.{key}")
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            yield from problems(item, schema["items"], f"{where}[{i}]")


@pytest.mark.parametrize("name", MAKERS)
def test_documents_satisfy_the_schema(name):
    document = json.loads(result(name).to_json())
    assert list(problems(document, SCHEMA)) == []
    assert set(document) <= set(SCHEMA["properties"])
    for q in document.get("quantities", []):
        assert q is None or set(q) == set(SCHEMA["$defs"]["quantity"]["properties"])


def test_the_schema_refuses_other_documents():
    document = json.loads(result("Estimate").to_json())
    for key, value in (("schema", 2), ("rows", {}), ("level", "0.95"), ("seed", True)):
        assert list(problems(document | {key: value}, SCHEMA)), key
    del document["quantities"][0]["bounds"]
    (problem,) = problems(document, SCHEMA)
    assert problem.startswith("document.quantities[0] is")


@pytest.mark.parametrize("level", [0.95, 0.8])
@pytest.mark.parametrize(
    "name", ["Estimate", "of a fit", "lower", "weights", "bootstrap", "perfect"]
)
def test_an_estimate_is_read_with_all_digits(name, level):
    e = result(name)
    e = e[0] if isinstance(e, pauci.Estimates) else e
    r = pauci.read_result(e.to_json(level))
    assert (r.value, r.se, r.level) == (float(e.value), float(e.se), level)
    assert r.interval() == r.interval(level) == e.interval(level)
    assert (r.kind, r.df, r.measure) == (e.kind_used(), e.df_used(), e.measure.label)
    assert r.bounds == e.bounds
    assert r.expression == repr(e.measure)


def test_what_else_is_read():
    r = pauci.read_result(result("Estimate").to_dict())
    e = result("Estimate")
    assert (r.classifier, r.name, r.labels) == ("svm", "svm, pAUCc", ("svm", "pAUCc"))
    assert (r.n_pos, r.n_neg, r.unit, r.is_difference) == (50, 70, "row", False)
    assert (r.region, r.scale.kind, r.scale.bounds) == ("FPR 0 to 0.3", "logit", e.scale)
    assert r.document["versions"]["pauci"] == pauci.__version__
    assert repr(r) == "StoredResult(svm, pAUCc: 0.47, SE 0.042)"
    assert pauci.read_result(result("clusters").to_json()).unit == "cluster"
    paired, independent = (
        pauci.read_result(result(n).to_json()) for n in ("Comparison", "independent")
    )
    assert (paired.classifier, paired.n_pos, paired.n_neg) == ("svm - nn", 50, 70)
    assert (independent.n_pos, independent.n_neg) == (100, 140)
    assert paired.is_difference
    assert paired.scale.kind == "wald"
    pooled = pauci.read_result(result("PooledEstimate").to_json())
    assert (pooled.value, pooled.n_pos) == (result("PooledEstimate").value, 50)
    assert pooled.scale.kind == "logit"


def test_infinite_and_undefined_numbers():
    r = pauci.read_result(result("one-sided").to_json())
    assert r.high == math.inf
    assert r.df == result("one-sided").df
    initial = pauci.estimate(pauci.Sample([0, 1, 1] * 20, [1, 2, 3] * 20), pauci.InitialTPR())
    r = pauci.read_result(initial.to_json())
    assert math.isnan(r.low)
    assert r.bounds == (-math.inf, math.inf)


def test_one_of_several_is_selected():
    several = result("Estimates")
    text = several.to_json()
    assert [pauci.read_result(text, i).value for i in range(len(several))] == [
        e.value for e in several
    ]
    assert pauci.read_result(text, "svm, AP").value == several["svm"]["AP"].value
    groups = result("GroupEstimates")
    assert pauci.read_result(groups.to_json(), "F").value == groups["F"].value
    cautions = pauci.read_result(result("perfect").to_json()).cautions
    assert [type(c) for c in cautions] == [type(c) for c in result("perfect").cautions]
    assert cautions


def test_files_and_documents_of_a_command(tmp_path):
    path = tmp_path / "result.json"
    path.write_text(result("Estimate").to_json(), encoding="utf-8")
    assert pauci.read_result(path) == pauci.read_result(str(path))
    assert isinstance(pauci.read_result(path), StoredResult)
    titled = {
        "estimates": result("Estimate").to_dict(),
        "comparisons": result("Comparison").to_dict(),
    }
    assert pauci.read_result(json.dumps(titled), 1).is_difference


def changed(**keys):
    return json.dumps(
        {k: v for k, v in (result("Estimate").to_dict() | keys).items() if v != "gone"}
    )


def without(key):
    document = json.loads(result("Estimate").to_json())
    del document["quantities"][0][key]
    return document


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ("{", "is not JSON"),
        ("[1]", "no key 'schema'"),
        ("{}", "no key 'schema'"),
        ('{"a": 1}', "to_json"),
        ("no such file.json", "cannot be read: No such file"),
        (changed(schema=2), "has version 2 of the schema; pauci .* reads version 1"),
        (changed(schema="gone"), "no key 'schema'"),
        (changed(quantities="gone"), r"no 'quantities'.*\(Estimate of pauci"),
        (changed(quantities=[None]), "has no estimate or difference"),
        (changed(quantities=[3]), "invalid row 0"),
        (without("se"), r"incomplete or invalid row 0 \(KeyError\('se'\)\)"),
        (without("bounds"), r"incomplete or invalid row 0 \(KeyError\('bounds'\)\)"),
        (result("JointTest").to_json(), "JointTest of pauci"),
        (result("Estimates").to_json(), "has 6 results.*0: svm, AUC"),
        (3, "must be the path"),
    ],
)
def test_bad_documents(document, words):
    with pytest.raises((ValueError, TypeError), match=words) as caught:
        pauci.read_result(document)
    assert caught.value.argument == "document"


@pytest.mark.parametrize(("select", "words"), [("svm", "3 of"), ("foo", "none of"), (9, "none of")])
def test_bad_selections(select, words):
    with pytest.raises(pauci.InputError, match=words) as caught:
        pauci.read_result(result("Estimates").to_json(), select)
    assert (caught.value.argument, caught.value.value) == ("select", select)


def test_other_levels_are_refused():
    with pytest.raises(pauci.InputError, match=r"which is 0\.95") as caught:
        pauci.read_result(result("Estimate").to_json()).interval(0.9)
    assert caught.value.argument == "level"


@pytest.mark.parametrize("study", ["ReaderAnalysis", "fixed readers"])
def test_averages_over_readers_are_read(study):
    analysis = result(study)
    (difference,) = analysis.contrasts
    for q in (*analysis.averages, difference):
        stored = pauci.read_result(analysis.to_json(), q.words)
        assert (stored.value, stored.se, stored.df) == (q.value, q.se, q.df)
        assert stored.interval() == q.interval()
        assert stored.expression == repr(analysis.measure)
        assert (stored.n_pos, stored.n_neg) == (30, 30)
        assert stored.is_difference is (q is difference)
        assert stored.scale.kind == ("wald" if q is difference else "logit")
    assert pauci.read_result(analysis.to_json(), 2).name == difference.words
