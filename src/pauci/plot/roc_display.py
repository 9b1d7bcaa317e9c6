"""ROC curves by the conventions of the displays of scikit-learn."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

from pauci.calls import validate_call, validate_constructor, validate_methods
from pauci.checks import check_choice, wrong_type
from pauci.errors import InputError, InputTypeError
from pauci.figures.roc_plane import CHANCE
from pauci.measures.area import AUC
from pauci.measures.base import Measure
from pauci.plot.roc_curve import CURVE, FOLD, Look, draw_roc
from pauci.sample.sample import Sample

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from pauci.accepted import Scores, Vector

Style = Mapping[str, Any]


@validate_constructor
@validate_methods
class RocDisplay:
    """ROC curves with the region of a measure, its estimate with an interval, and a band.

    The attributes and arguments follow ``sklearn.metrics.RocCurveDisplay``. Create one by
    `from_estimator`, `from_predictions` or `from_cv_results`, which draw it. The figure is that of
    `pauci.plot.roc`.

    Parameters
    ----------
    sample : Sample
        One or several classifiers. With folds, the curve is the average of those of the folds.
    measure : Measure, optional
        The measure whose region is shaded and whose estimates and intervals are in the legend; the
        default is the AUC.
    band : "pointwise" or None, default "pointwise"
        The band around each curve, as for `pauci.plot.roc`.
    level : float, default 0.95
        Confidence level of intervals and bands.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
        The axes with the curves.
    figure_ : matplotlib.figure.Figure
        The figure with the axes.
    line_ : matplotlib.lines.Line2D or list of these
        The curve, or the curves of several classifiers.
    fold_lines_ : list of matplotlib.lines.Line2D
        The curves of the folds.
    band_, region_ : list of matplotlib.artist.Artist
        The fills and edges of the bands, and the fills of the region, which is drawn by the first
        of several displays in the same axes.
    chance_level_ : matplotlib.lines.Line2D or None
        The diagonal.

    See Also
    --------
    roc : the same figure, with more options.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_fawcett()
    >>> display = pauci.plot.RocDisplay(pauci.Sample(frame["label"], frame["score"]))
    >>> display.plot().line_.get_label()
    'curve of score'
    """

    ax_: "Axes"
    figure_: Any
    line_: "Line2D | list[Line2D]"
    fold_lines_: "list[Line2D]"
    band_: "list[Artist]"
    region_: "list[Artist]"
    chance_level_: "Line2D | None"

    def __init__(
        self,
        sample: Sample,
        *,
        measure: Measure | None = None,
        band: Literal["pointwise"] | None = "pointwise",
        level: float = 0.95,
    ) -> None:
        if not isinstance(sample, Sample):
            raise wrong_type("sample", sample, "a Sample, or use RocDisplay.from_predictions")
        if measure is not None and not isinstance(measure, Measure):
            raise wrong_type("measure", measure, "a measure, such as pauci.PAUC(fpr=(0, 0.1))")
        if band is not None:
            check_choice("band", band, ["pointwise"])
        self.sample: Sample = sample
        self.measure: Measure = AUC() if measure is None else measure
        self.band: Literal["pointwise"] | None = band
        self.level: float = level

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        name: str | None = None,
        curve_kwargs: Style | Sequence[Style] | None = None,
        plot_chance_level: bool = True,
        chance_level_kw: Style | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; the default is a new figure. Colours and legend of an earlier display in
            the same axes are continued.
        name : str, optional
            Another name of a single classifier in the legend.
        curve_kwargs : dict or list of dict, optional
            Properties of the curve, as for ``plot`` of matplotlib, or of those of each classifier.
            The band has the colour of the curve.
        plot_chance_level : bool, default True
            Whether to draw the diagonal.
        chance_level_kw : dict, optional
            Properties of the diagonal. It is in the legend if they contain a label.
        despine : bool, default False
            Whether to remove the spines at the top and on the right.

        Returns
        -------
        RocDisplay
            This display.
        """
        sample = self.sample if name is None else self.sample.renamed(name)
        look = Look(
            _properties_of_curves(curve_kwargs, len(sample)),
            (chance_level_kw or {}) if plot_chance_level else None,
        )
        before = set(getattr(ax, "get_children", list)())
        axes = draw_roc(sample, self.measure, self.band, level=self.level, ax=ax, look=look)
        drawn = [artist for artist in axes.get_children() if artist not in before]
        self.ax_, self.figure_ = axes, axes.figure
        lines = _labelled(drawn, CURVE)
        self.line_ = lines[0] if len(lines) == 1 else lines
        self.fold_lines_ = _labelled(drawn, FOLD)
        self.band_ = _labelled(drawn, "_band", "_end of the band")
        self.region_ = _labelled(drawn, "_vertical stripe", "_horizontal stripe")
        self.chance_level_ = next(iter(_labelled(axes.lines, CHANCE)), None)
        if despine:
            for side in ("top", "right"):
                axes.spines[side].set_visible(False)
        return self

    @classmethod
    @validate_call
    def from_predictions(
        cls,
        y_true: "Vector",
        y_score: "Scores",
        *,
        sample_weight: "Vector | None" = None,
        pos_label: object = None,
        measure: Measure | None = None,
        band: Literal["pointwise"] | None = "pointwise",
        level: float = 0.95,
        name: str | None = None,
        ax: "Axes | None" = None,
        curve_kwargs: "Style | Sequence[Style] | None" = None,
        plot_chance_level: bool = True,
        chance_level_kw: "Style | None" = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curves of scores.

        Parameters
        ----------
        y_true, y_score
            As for `Sample`: labels, and scores of one classifier or of several by name.
        sample_weight : array_like of shape (n,), optional
            Sampling weight of each row.
        pos_label : scalar, optional
            The label of the positive class, needed unless labels are 0/1, booleans or -1/1.
        measure, band, level
            As for `RocDisplay`.
        name : str, optional
            Name of a single classifier.
        ax, curve_kwargs, plot_chance_level, chance_level_kw, despine
            As for `plot`.

        Returns
        -------
        RocDisplay

        Examples
        --------
        >>> import pauci
        >>> frame = pauci.datasets.load_fawcett()
        >>> display = pauci.plot.RocDisplay.from_predictions(frame["label"], frame["score"])
        >>> display.line_.get_label()
        'curve of score'
        """
        sample = Sample(y_true, y_score, pos_label, weight=sample_weight, name=name)
        return cls(sample, measure=measure, band=band, level=level).plot(
            ax,
            curve_kwargs=curve_kwargs,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            despine=despine,
        )

    @classmethod
    @validate_call
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: Any,
        *,
        sample_weight: "Vector | None" = None,
        response_method: str = "auto",
        pos_label: object = None,
        measure: Measure | None = None,
        band: Literal["pointwise"] | None = "pointwise",
        level: float = 0.95,
        name: str | None = None,
        ax: "Axes | None" = None,
        curve_kwargs: "Style | Sequence[Style] | None" = None,
        plot_chance_level: bool = True,
        chance_level_kw: "Style | None" = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curves of fitted estimators.

        Parameters
        ----------
        estimator, X, y, sample_weight, response_method, pos_label
            As for `Sample.from_estimator`.
        measure, band, level
            As for `RocDisplay`.
        name : str, optional
            Name of a single classifier; the default is the class of the estimator.
        ax, curve_kwargs, plot_chance_level, chance_level_kw, despine
            As for `plot`.

        Returns
        -------
        RocDisplay
        """
        sample = Sample.from_estimator(
            estimator, X, y, pos_label, response_method, sample_weight, name=name
        )
        return cls(sample, measure=measure, band=band, level=level).plot(
            ax,
            curve_kwargs=curve_kwargs,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            despine=despine,
        )

    @classmethod
    @validate_call
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,  # noqa: N803
        y: Any,
        *,
        sample_weight: "Vector | None" = None,
        response_method: str = "auto",
        pos_label: object = None,
        measure: Measure | None = None,
        band: Literal["pointwise"] | None = "pointwise",
        level: float = 0.95,
        name: str | None = None,
        ax: "Axes | None" = None,
        curve_kwargs: "Style | Sequence[Style] | None" = None,
        plot_chance_level: bool = True,
        chance_level_kw: "Style | None" = None,
        despine: bool = False,
    ) -> Self:
        """Draw the average curves of cross-validations, and the curves of their folds.

        Parameters
        ----------
        cv_results, X, y, sample_weight, response_method, pos_label
            As for `Sample.from_cv_results`.
        measure, band, level
            As for `RocDisplay`.
        name : str, optional
            Name of a single classifier; the default is the class of the estimator.
        ax, curve_kwargs, plot_chance_level, chance_level_kw, despine
            As for `plot`. In contrast to scikit-learn, there is one style for each classifier and
            not for each fold.

        Returns
        -------
        RocDisplay
        """
        sample = Sample.from_cv_results(
            cv_results, X, y, pos_label, response_method, sample_weight, name=name
        )
        return cls(sample, measure=measure, band=band, level=level).plot(
            ax,
            curve_kwargs=curve_kwargs,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            despine=despine,
        )


def _properties_of_curves(
    curve_kwargs: Style | Sequence[Style] | None, classifiers: int
) -> list[Style]:
    """Return the properties of the curve of each classifier."""
    if curve_kwargs is None or isinstance(curve_kwargs, Mapping):
        return [curve_kwargs or {}] * classifiers
    if not isinstance(curve_kwargs, (list, tuple)) or not all(
        isinstance(properties, Mapping) for properties in curve_kwargs
    ):
        raise InputTypeError.of("curve_kwargs", curve_kwargs, "must be a dict or a list of dicts.")
    if len(curve_kwargs) != classifiers:
        raise InputError.about(
            "curve_kwargs",
            f"has {len(curve_kwargs)} dicts for {classifiers} classifier{'s' * (classifiers > 1)}.",
            value=curve_kwargs,
        )
    return list(curve_kwargs)


def _labelled(artists: Any, *starts: str) -> list[Any]:
    """Return the artists whose labels start with one of some texts."""
    return [a for a in artists if str(a.get_label()).startswith(starts)]
