"""Measures as scorers of scikit-learn, for the selection of models."""

import math
from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar

import numpy as np

from pauci.calls import validate_methods
from pauci.checks import check_choice
from pauci.errors import InputError, UndefinedError
from pauci.measures import ClassMeasure, Macro, Measure
from pauci.sample.from_estimators import RESPONSE_METHODS, class_scores, response

M = TypeVar("M", bound=Callable[..., float])


@validate_methods
class Scorer(Generic[M]):
    """Evaluates a fitted estimator on data, as ``scoring=`` of scikit-learn requires.

    It is created by `Measure.scorer`. The score is the value of the measure, or its negative if
    lower values are better. It is NaN if the data have one class only or the measure is undefined;
    no warnings are issued.

    Parameters
    ----------
    measure : Measure
        The measure.
    pos_label, response_method
        As for `Sample.from_estimator`.
    """

    def __init__(self, measure: M, pos_label: object, response_method: str) -> None:
        check_choice("response_method", response_method, RESPONSE_METHODS)
        of_measure: Any = measure
        higher: bool | None = of_measure.higher_is_better
        if higher is None:
            problem = measure, " is neither best if it is large nor if it is small."
            hint = "Select models by another measure, such as pauci.Brier() for calibration."
            raise InputError(problem, hint=hint)
        self.measure = measure
        self.pos_label = pos_label
        self.response_method = response_method
        self._sign = 1.0 if higher else -1.0
        self._of_classes = isinstance(measure, ClassMeasure)
        self._weights: bool | str | None = None

    def __call__(
        self,
        estimator: Any,
        X: Any,  # noqa: N803
        y: Any,
        sample_weight: Any = None,
    ) -> float:
        """Return the score of a fitted estimator."""
        positive: object
        if self._of_classes:
            scores, positive = class_scores(estimator, X, self.response_method)
        else:
            scores, positive = response(estimator, X, self.pos_label, self.response_method)
        labels = np.asarray(y)
        if sample_weight is not None:
            labels = labels[np.asarray(sample_weight) > 0]
        if not labels.size or (labels == labels[0]).all():
            return math.nan
        try:
            value = self.measure(y, scores, positive=positive, weight=sample_weight)
        except UndefinedError:
            return math.nan
        return self._sign * value

    def set_score_request(self, *, sample_weight: bool | str | None = True) -> Self:
        """Request sampling weights, if the metadata routing of scikit-learn is enabled.

        Parameters
        ----------
        sample_weight : bool or str
            Whether ``sample_weight`` is passed to this scorer, or the name of the argument that is.

        Returns
        -------
        Scorer
            This scorer.
        """
        self._weights = sample_weight
        return self

    def get_metadata_routing(self) -> Any:
        """Return the arguments that are requested, for the metadata routing of scikit-learn."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        request.score.add_request(param="sample_weight", alias=self._weights)
        return request

    def _accept_sample_weight(self) -> bool:
        # scikit-learn calls this method of scorers if metadata routing is disabled.
        return True

    def __repr__(self) -> str:
        options = [f"pos_label={self.pos_label!r}"] * (self.pos_label is not None)
        options += [f"response_method={self.response_method!r}"] * (self.response_method != "auto")
        return f"{self.measure!r}.scorer({', '.join(options)})"


def scorer_for(measure: Measure, estimator: Any) -> Scorer[Any]:
    """Return the scorer for an estimator, an average if it has more than two classes."""
    several = np.size(getattr(estimator, "classes_", ())) > 2
    return (Macro(measure) if several else measure).scorer()
