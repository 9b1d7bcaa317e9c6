"""Bundled data sets, as data frames. See ``data/README.md`` for sources, licences and columns."""

from importlib.resources import files
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pauci.calls import validate_call

if TYPE_CHECKING:
    import pandas as pd


@validate_call
def load_audit_c() -> "pd.DataFrame":
    """Load the two-by-two tables of 14 studies of the AUDIT-C questionnaire (Kriston et al. 2008).

    Columns ``tp``, ``fn``, ``fp``, ``tn``.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_audit_c()
    >>> frame.sum().tolist()
    [1843, 228, 5025, 11236]
    """
    return _load("audit_c")


@validate_call
def load_fawcett() -> "pd.DataFrame":
    """Load the 20 instances of Fawcett (2006): columns ``label``, ``score``.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_fawcett()
    >>> sample = pauci.Sample.from_frame(frame, label="label", scores="score")
    >>> pauci.estimate(sample, pauci.AUC()).value
    0.68
    """
    return _load("fawcett")


@validate_call
def load_dmist() -> "pd.DataFrame":
    """Load the DMIST table of film and digital mammography (Pisano et al. 2005).

    Columns ``modality``, ``score`` (7 to 1), ``positives``, ``negatives``.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_dmist()
    >>> film = frame[frame["modality"] == "film"]
    >>> pauci.Sample.from_counts(film["score"], film["positives"], film["negatives"], name="film")
    Sample(film: 335 positives, 42,410 negatives, cohort, frequencies)
    """
    return _load("dmist")


@validate_call
def load_dcurves() -> "pd.DataFrame":
    """Load 750 simulated patients with predicted risks of cancer (Sjoberg, dcurves).

    Columns ``patientid``, ``cancer`` (1 with cancer), ``case`` (the label of a case-control study
    of the same rows), ``age``, ``famhistory``, ``marker``, and the risk ``cancerpredmarker``.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_dcurves()
    >>> sample = pauci.Sample.from_frame(frame, label="cancer", scores="cancerpredmarker")
    >>> round(pauci.estimate(sample, pauci.Brier()).value, 4)
    0.0849
    """
    return _load("dcurves")


@validate_call
def load_hanley_mcneil() -> "pd.DataFrame":
    """Load the CT ratings of Hanley and McNeil (1982).

    Columns ``score`` (1 to 5), ``positives``, ``negatives``.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_hanley_mcneil()
    >>> ct = pauci.Sample.from_counts(frame["score"], frame["positives"], frame["negatives"])
    >>> round(pauci.estimate(ct, pauci.AUC()).value, 3)
    0.893
    """
    return _load("hanley_mcneil")


@validate_call
def load_ljubljana() -> "pd.DataFrame":
    """Load the Ljubljana breast cancer data of 286 patients (Zwitter and Soklic 1988).

    Examples
    --------
    >>> import pauci
    >>> pauci.datasets.load_ljubljana().shape
    (286, 10)
    """
    return _load("ljubljana")


@validate_call
def load_ljubljana_scores() -> "pd.DataFrame":
    """Load out-of-fold scores of four classifiers on the Ljubljana data.

    Columns ``recurrence`` (1 for a recurrence), ``lda``, ``logistic``, ``svm``, ``nn``.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_ljubljana_scores()
    >>> pauci.Sample.from_frame(frame, label="recurrence", scores=["svm", "nn"])
    Sample(svm, nn: 85 positives, 201 negatives, cohort)
    """
    return _load("ljubljana_scores")


@validate_call
def load_wisconsin() -> "pd.DataFrame":
    """Load the Wisconsin breast cancer data of 699 samples (Wolberg 1992).

    Examples
    --------
    >>> import pauci
    >>> pauci.datasets.load_wisconsin().shape
    (699, 11)
    """
    return _load("wisconsin")


@validate_call
def load_wisconsin_scores() -> "pd.DataFrame":
    """Load out-of-fold scores of four classifiers on two features of the Wisconsin data.

    Columns ``malignant`` (1 for malignant), ``lda``, ``logistic``, ``svm``, ``nn``.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_wisconsin_scores()
    >>> pauci.Sample.from_frame(frame, label="malignant", scores=["svm", "nn"])
    Sample(svm, nn: 241 positives, 458 negatives, cohort)
    """
    return _load("wisconsin_scores")


@validate_call
def load_viper() -> "pd.DataFrame":
    """Load the VIPER reader studies: digital and film mammograms of DMIST (Gallas et al. 2019).

    Five studies of 20 radiologists each, 20,382 readings. Columns ``study``, ``reader``,
    ``modality`` (digital, film), ``case``, ``cancer_365`` and ``cancer_455`` (1 for cancer within
    365 or 455 days), ``score`` (0 to 201), ``recall`` (1 for a score above 100).

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_viper()
    >>> frame = frame[frame["study"] == "challengeMedP"]
    >>> pauci.ReaderStudy.from_frame(frame, label="cancer_365").design
    'split-plot (4 blocks), 13 readings missing'
    """
    return _load("viper")


@validate_call
def load_viper_screening() -> "pd.DataFrame":
    """Load one of the VIPER reader studies, ``screeningHighP``, with the columns of `load_viper`.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_viper_screening()
    >>> pauci.ReaderStudy.from_frame(frame, label="cancer_365").design
    'split-plot (4 blocks)'
    """
    return _load("viper_screening")


@validate_call
def load_cohort() -> "pd.DataFrame":
    """Load 800 simulated patients, some of them with a biopsy, with follow-up times.

    Columns ``patient``, ``family`` (yes, no), the scores ``marker`` and ``model`` (a risk),
    ``biopsy`` (0 or 1), ``disease`` (missing without a biopsy), ``years`` and ``died`` (0 censored,
    1 from the disease, 2 from another cause).

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_cohort()
    >>> pauci.Sample.from_survival(frame, "years", "died", "model", horizon=5).n_pos
    174
    """
    return _load("cohort")


@validate_call
def load_marks() -> "pd.DataFrame":
    """Load simulated marks with places, of five readers in two modalities and an algorithm.

    Columns ``reader``, ``modality`` (unaided, aided, AI), ``case``, ``lesion`` (missing for a false
    mark), ``x``, ``y``, ``rating`` (1 to 100). `load_marked_cases` has the cases.

    Examples
    --------
    >>> import pauci
    >>> marks, cases = pauci.datasets.load_marks(), pauci.datasets.load_marked_cases()
    >>> study = pauci.ReaderStudy.from_marks(marks[marks["modality"] != "AI"], cases)
    >>> study.design, study.modalities
    ('factorial', ('aided', 'unaided'))
    """
    return _load("marks")


@validate_call
def load_marked_cases() -> "pd.DataFrame":
    """Load the cases of `load_marks`, with a row for each lesion.

    Columns ``case``, ``lesion`` (missing for a case without lesions), ``x``, ``y``, ``density``
    (dense, fatty).

    Examples
    --------
    >>> import pauci
    >>> cases = pauci.datasets.load_marked_cases()
    >>> cases["case"].nunique(), int(cases["lesion"].count())
    (120, 94)
    """
    return _load("marked_cases")


@validate_call
def load_stages() -> "pd.DataFrame":
    """Load 300 simulated patients with no, early or late disease, and two markers.

    Columns ``patient``, ``stage`` ("none", "early", "late"), the markers ``marker`` and
    ``protein``, and the probabilities of the stages from the first marker (``marker_none``,
    ``marker_early``, ``marker_late``) and from both (``both_none``, ...).

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_stages()
    >>> order = ["none", "early", "late"]
    >>> pauci.Sample.from_classes(frame["stage"], frame["marker"], classes=order)
    Sample(score: 148 none, 99 early, 53 late, cohort)
    """
    return _load("stages")


def bundled_files() -> dict[str, Any]:
    """Return the files of the bundled data sets, by name."""
    folder: Any = files("pauci") / "data"
    if not folder.is_dir():
        folder = Path(__file__).resolve().parents[2] / "data"  # an editable install of a checkout
    found = sorted(folder.iterdir(), key=attrgetter("name"))
    return {file.name.partition(".")[0]: file for file in found if ".csv" in file.name}


def _load(name: str) -> "pd.DataFrame":
    import pandas as pd

    path = bundled_files()[name]
    with path.open("rb") as file:
        return pd.read_csv(file, compression="gzip" if path.name.endswith(".gz") else None)
