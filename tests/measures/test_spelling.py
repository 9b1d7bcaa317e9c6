"""Regions by the names that clinicians use, and argument names of other packages."""

import dataclasses
import inspect
import pickle
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pauci
from pauci.measures import REGISTRY
from public_names import PUBLIC_NAMES

OTHER = {"fpr": "specificity", "tpr": "sensitivity"}
REGIONAL = [
    (cls, axis, form)
    for cls in REGISTRY.values()
    for axis in OTHER
    for form in ("range", "point")
    if (axis in cls.kinds) == (form == "range") and axis in cls.__dataclass_fields__
]


def mirrored(axis, value):
    """Return the same bounds for the other name of an axis: specificity is 1 - FPR."""
    if axis == "tpr":
        return value
    return tuple(1 - v for v in reversed(value)) if isinstance(value, tuple) else 1 - value


def same(a, b):
    """Check that two measures are equal, and that their reprs can be evaluated."""
    return a == b and hash(a) == hash(b) and eval(repr(a), PUBLIC_NAMES) == a and repr(a) == repr(b)


def test_every_measure_of_a_region_is_tested():
    taking = {c for c in REGISTRY.values() if {"fpr", "tpr"} & set(inspect.signature(c).parameters)}
    assert taking == {cls for cls, *_ in REGIONAL}


@pytest.mark.parametrize(("cls", "axis", "form"), REGIONAL)
@given(data=st.data())
def test_both_names_of_an_axis_mean_one_measure(cls, axis, form, data):
    d = data.draw(st.integers(2, 10**6))
    low = data.draw(st.integers(0 if form == "range" else 1, d - 1))
    value = Fraction(low, d)
    if form == "range":
        value = value, Fraction(data.draw(st.integers(low + 1, d)), d)
    plain = cls(**{axis: value})
    assert same(plain, cls(**{OTHER[axis]: mirrored(axis, value)}))
    assert same(plain, pickle.loads(pickle.dumps(plain)))
    as_floats = tuple(map(float, value)) if form == "range" else float(value)
    assert same(plain, cls(**{axis: as_floats}))
    assert same(plain, cls(**{OTHER[axis]: mirrored(axis, as_floats)}))


def test_specificity_is_exact():
    assert same(pauci.PAUCc(specificity=(0.9, 1)), pauci.PAUCc(fpr=(0, 0.1)))
    assert repr(pauci.PAUCc(specificity=(0.9, 1))) == "PAUCc(fpr=(0, 0.1))"
    assert pauci.PAUCc(specificity=(0.7, 0.9)).fpr == (0.1, 0.3)
    assert pauci.Sensitivity(specificity=0.9) == pauci.Sensitivity(fpr=0.1)
    assert pauci.PAI(sensitivity=0.9) == pauci.PAI(tpr=0.9)
    assert pauci.Specificity(sensitivity=0.9) == pauci.Specificity(tpr=0.9)
    both = pauci.PAUCc(specificity=(0.9, 1), sensitivity=(0.8, 1))
    assert both == pauci.PAUCc(fpr=(0, 0.1), tpr=(0.8, 1))


def test_one_region_is_one_measure_whatever_rounding_its_bounds_carry():
    for bound in (0.1 + 0.2, Fraction(3, 10)):
        assert same(pauci.PAUC(fpr=(0, bound)), pauci.PAUC(fpr=(0, 0.3)))


@pytest.mark.parametrize(("cls", "axis", "form"), REGIONAL)
def test_measures_stay_plain_dataclasses(cls, axis, form):
    first, second = ((0.1, 0.4), (0.2, 0.4)) if form == "range" else (0.4, 0.5)
    measure = cls(**{OTHER[axis]: mirrored(axis, first)})
    names = [f.name for f in dataclasses.fields(measure)]
    assert axis in names
    assert not set(OTHER.values()) & set(names)
    assert dataclasses.replace(measure, **{axis: second}) == cls(**{axis: second})
    assert dataclasses.replace(measure) == measure


@pytest.mark.parametrize(("cls", "axis", "form"), REGIONAL)
def test_two_names_of_one_axis_are_an_error(cls, axis, form):
    value = (0.1, 0.4) if form == "range" else 0.4
    with pytest.raises(pauci.errors.InputError, match="same axis") as caught:
        cls(**{axis: value, OTHER[axis]: mirrored(axis, value)})
    assert caught.value.argument == OTHER[axis]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: pauci.PAUC(specificity=(1, 0.9)), r"specificity=\(1, 0.9\) is empty.*\(0.9, 1\)"),
        (lambda: pauci.PAUC(specificity=(90, 100)), r"specificity=.* holds 90.*Did you mean 0.9\?"),
        (lambda: pauci.PAUC(specificity=0.9), r"such as \(0.9, 1\)\."),
        (lambda: pauci.PAUC(sensitivity=0.9), r"such as \(0.8, 1\)\."),
        (lambda: pauci.PAUC(specificity=("a", 1)), r"specificity=.* holds 'a'"),
        (lambda: pauci.Sensitivity(specificity=1), "specificity=1 is a corner of the curve"),
        (lambda: pauci.Sensitivity(), r"fpr= or specificity=\."),
        (lambda: pauci.Specificity(sensitivity=0), "sensitivity=0 is a corner of the curve"),
        (lambda: pauci.PAI(sensitivity=1), "sensitivity=1 leaves no region up to 1"),
        (lambda: pauci.PAI(), r"tpr= or sensitivity=\."),
        (
            lambda: pauci.SPA(specificity=(0.9, 1), sensitivity=(0.9, 1)),
            r"SPA does not take specificity with sensitivity\. .* one of: fpr=, tpr=\.",
        ),
        (
            lambda: pauci.PAUC(threshold=(1, 2), specificity=(0.9, 1)),
            r"threshold= .*Leave out specificity=\.",
        ),
        (lambda: pauci.PAUC(), r"such as fpr=\(0, 0.1\) or specificity=\(0.9, 1\)"),
    ],
)
def test_errors_refer_to_the_given_arguments(make, words):
    with pytest.raises((ValueError, TypeError), match=words):
        make()
