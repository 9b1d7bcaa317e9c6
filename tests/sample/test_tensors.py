"""Tensors that NumPy does not read, and columns of objects that are numbers."""

import numpy as np
import pandas as pd
import pytest

import pauci

Y = np.array([0, 1] * 20)
S = (Y + np.random.default_rng(0).normal(size=40)).astype(np.float32)
EXPECTED = pauci.estimate(pauci.Sample(Y, S), pauci.AUC()).value


class Tensor:
    """A minimal tensor that raises the errors of torch."""

    def __init__(self, values, dtype="torch.float32", *, grad=False, device="cpu"):
        self.values, self.dtype, self.grad, self.device = values, dtype, grad, device

    def __array__(self, dtype=None, copy=None):
        if self.grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        if self.device != "cpu":
            raise TypeError("can't convert cuda:0 device type tensor to numpy.")
        if self.dtype == "torch.bfloat16":
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self.values

    def detach(self):
        return Tensor(self.values, self.dtype, device=self.device)

    def cpu(self):
        return Tensor(self.values, self.dtype, grad=self.grad)

    def float(self):
        return Tensor(self.values, grad=self.grad, device=self.device)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"grad": True},
        {"dtype": "torch.bfloat16"},
        {"device": "cuda:0"},
        {"grad": True, "dtype": "torch.bfloat16", "device": "cuda:0"},
    ],
)
def test_tensors_are_read(options):
    sample = pauci.Sample(Tensor(Y), Tensor(S, **options), weight=Tensor(Y + 1.0, grad=True))
    assert pauci.estimate(sample, pauci.AUC()).value == pytest.approx(EXPECTED, abs=1e-12)


@pytest.mark.parametrize("options", [{}, {"grad": True}, {"dtype": "torch.bfloat16"}])
def test_lists_of_tensors_of_one_number_are_read(options):
    sample = pauci.Sample(Y, [Tensor(np.array(v), **options) for v in S])
    assert pauci.estimate(sample, pauci.AUC()).value == pytest.approx(EXPECTED, abs=1e-12)


@pytest.mark.parametrize("at", [[20], [13, 30], range(1, 40)])
def test_an_error_for_batches_suggests_joining_them(at):
    with pytest.raises(pauci.InputTypeError, match=r"y_score is a list.*np.concatenate\(x\)") as e:
        pauci.Sample(Y, np.split(S, at))
    assert e.value.argument == "y_score"
    with pytest.raises(pauci.InputTypeError, match=r"y_true is a list.*np.concatenate\(x\)") as e:
        pauci.Sample(np.split(Y, at), S)
    assert "dict" not in str(e.value)


@pytest.mark.parametrize(
    ("column", "words"), [(S[:, None], "x.ravel()"), (S[:, None].tolist(), "np.ravel(x)")]
)
def test_an_error_for_one_column_suggests_flattening(column, words):
    with pytest.raises(pauci.InputError, match=r"shape \(40, 1\)") as caught:
        pauci.Sample(Y, column)
    assert words in str(caught.value)
    assert "dict" not in str(caught.value)


def test_tensors_of_torch_itself():
    torch = pytest.importorskip("torch")
    for tensor in (torch.tensor(S, requires_grad=True), torch.tensor(S).to(torch.bfloat16)):
        assert 0.5 < pauci.estimate(pauci.Sample(Y, tensor), pauci.AUC()).value < 1


def test_unreadable_input_is_a_typed_error():
    class Broken:
        def __array__(self, dtype=None, copy=None):
            raise RuntimeError("no data here")

    with pytest.raises(pauci.InputTypeError, match=r"y_score is not a flat array.*no data here"):
        pauci.Sample(Y, Broken())


@pytest.mark.parametrize(
    "objects",
    [S.astype(object), [np.float32(v) for v in S], pd.Series(list(map(float, S)), dtype=object)],
    ids=["array", "list", "series"],
)
def test_objects_that_are_numbers_are_numbers(objects):
    labels = pd.Series(Y.tolist(), dtype=object)
    sample = pauci.Sample(labels, objects, frequency=np.ones(40, dtype=object))
    assert pauci.estimate(sample, pauci.AUC()).value == pytest.approx(EXPECTED, abs=1e-12)
    flags = pauci.Sample(np.array([bool(v) for v in Y], dtype=object), objects)
    assert flags.n_pos == 20


def test_objects_whose_numbers_would_change_are_an_error():
    big = np.array([2**53 + 1, *map(float, S[1:])], dtype=object)
    with pytest.raises(pauci.InputError, match=f"mixes the integer {2**53 + 1}"):
        pauci.Sample(Y, big)
    mixed = np.array([True, *map(float, S[1:])], dtype=object)
    with pytest.raises(pauci.InputTypeError, match="dtype object"):
        pauci.Sample(Y, mixed)
    with pytest.raises(pauci.InputError, match="1 missing value"):
        pauci.Sample(Y, np.array([None, *map(float, S[1:])], dtype=object))
