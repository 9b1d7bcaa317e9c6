"""Quantiles of the normal distribution, implemented here so that estimates do not import scipy."""

from functools import lru_cache

import numpy as np

from pauci.checks import AnyArray, FloatArray

# Coefficients of the numerator and the denominator, highest power first.
_MIDDLE = np.array(
    [
        [2.509080928730122672e3, 5.226495278852854561e3],
        [3.343057558358812810e4, 2.872908573572194267e4],
        [6.726577092700870085e4, 3.930789580009271061e4],
        [4.592195393154987145e4, 2.121379430158659587e4],
        [1.373169376550946112e4, 5.394196021424751108e3],
        [1.971590950306551443e3, 6.871870074920579083e2],
        [1.331416678917843774e2, 4.231333070160091125e1],
        [3.387132872796366608e0, 1.0],
    ]
)
_TAIL = np.array(
    [
        [7.7454501427834140764e-4, 1.05075007164441684324e-9],
        [2.27238449892691845833e-2, 5.475938084995344946e-4],
        [2.4178072517745061177e-1, 1.51986665636164571966e-2],
        [1.27045825245236838258e0, 1.4810397642748007459e-1],
        [3.64784832476320460504e0, 6.8976733498510000455e-1],
        [5.7694972214606914055e0, 1.6763848301838038494e0],
        [4.6303378461565452959e0, 2.05319162663775882187e0],
        [1.42343711074968357734e0, 1.0],
    ]
)
_FAR_TAIL = np.array(
    [
        [2.01033439929228813265e-7, 2.04426310338993978564e-15],
        [2.71155556874348757815e-5, 1.4215117583164458887e-7],
        [1.24266094738807843860e-3, 1.8463183175100546818e-5],
        [2.65321895265761230930e-2, 7.868691311456132591e-4],
        [2.96560571828504891230e-1, 1.48753612908506148525e-2],
        [1.78482653991729133580e0, 1.3692988092273580531e-1],
        [5.46378491116411436990e0, 5.9983220655588793769e-1],
        [6.65790464350110377720e0, 1.0],
    ]
)

_COEFFICIENTS = np.stack((_MIDDLE, _TAIL, _FAR_TAIL), axis=-1)


def quantiles(p: AnyArray) -> FloatArray:
    """Return the normal quantiles of probabilities strictly between 0 and 1.

    These are the rational functions of Wichura (1988, algorithm AS 241, Applied Statistics
    37:477-484), with a relative error of about 1e-16.
    """
    from_half = p - 0.5
    x, factor = 0.180625 - from_half * from_half, from_half
    approximation = np.zeros(x.size, np.intp)
    (outside,) = (np.abs(from_half) > 0.425).nonzero()
    if outside.size:
        far = from_half.take(outside)
        root = np.sqrt(-np.log(np.where(far < 0.0, p.take(outside), 0.5 - far)))
        very_far = root > 5.0
        approximation[outside] = 1 + very_far
        x[outside] = root - np.where(very_far, 5.0, 1.6)
        factor = from_half.copy()
        factor[outside] = np.copysign(1.0, far)
    return _ratio(_COEFFICIENTS.take(approximation, axis=-1), x) * factor


@lru_cache(maxsize=1024)
def quantile(p: float) -> float:
    """Return the normal quantile of a single probability, cached because bounds often recur."""
    return float(quantiles(np.array([p]))[0])


def _ratio(coefficients: FloatArray, x: FloatArray) -> FloatArray:
    """Return the ratio of two polynomials by Horner's rule, with coefficients for each value."""
    polynomials = coefficients[0] * x
    for powers in coefficients[1:-1]:
        polynomials += powers
        polynomials *= x
    polynomials += coefficients[-1]
    return np.asarray(polynomials[0] / polynomials[1])
