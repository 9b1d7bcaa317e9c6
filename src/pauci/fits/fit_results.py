"""The result of each function that fits a curve: the fitted curve with its table and sentence."""

import math
from typing import Any, ClassVar

from pauci.calls import validate_constructor
from pauci.fits.fit import CurveFit
from pauci.fits.fit_layout import layout_of, rows_of_fit
from pauci.fits.models import Binormal, Contaminated, CurveModel, Proper
from pauci.intervals.kinds import Kind
from pauci.results.layout import Layout
from pauci.results.presented import Presented
from pauci.results.row import PlainRow


class _FitResult(CurveFit, Presented[Kind]):
    """A fitted curve with its rows and its layout; base class of the fits of each model."""

    def _rows(self, level: float, kind: Any) -> list[PlainRow]:  # noqa: ARG002
        return rows_of_fit(self, level)

    def _layout(self) -> Layout:
        return layout_of(self)

    def _described(self, rows: Any) -> list[CurveFit]:  # noqa: ARG002
        return [self]


@validate_constructor
class BinormalFit(_FitResult):
    """A binormal curve; returned by `pauci.fit_binormal`."""

    model: ClassVar[CurveModel] = Binormal()

    @property
    def a(self) -> float:
        """Mean of the positives divided by their standard deviation; negatives are N(0, 1)."""
        return self.maximum.theta[0]

    @property
    def b(self) -> float:
        """Ratio of the standard deviation of the negatives to that of the positives."""
        return self.maximum.theta[1]


@validate_constructor
class ProperFit(_FitResult):
    """A proper binormal curve; returned by `pauci.fit_proper`."""

    model: ClassVar[CurveModel] = Proper()

    @property
    def a(self) -> float:
        """Parameter a of the binormal model of the scores."""
        return self.maximum.theta[0]

    @property
    def b(self) -> float:
        """Parameter b of the binormal model of the scores."""
        return self.maximum.theta[1]

    @property
    def d_a(self) -> float:
        r"""Metz and Pan's :math:`d_a = \sqrt2 a/\sqrt{1 + b^2}`."""
        return math.sqrt(2.0) * self.a / math.hypot(1.0, self.b)

    @property
    def c(self) -> float:
        """Metz and Pan's c = (b - 1)/(b + 1)."""
        return (self.b - 1.0) / (self.b + 1.0)


@validate_constructor
class ContaminatedFit(_FitResult):
    """A contaminated binormal curve; returned by `pauci.fit_contaminated`."""

    model: ClassVar[CurveModel] = Contaminated()

    @property
    def mu(self) -> float:
        """Mean of the positives with a visible signal."""
        return self.maximum.theta[0]

    @property
    def alpha(self) -> float:
        """Proportion of the positives with a visible signal."""
        return self.maximum.theta[1]
