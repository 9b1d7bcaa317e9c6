"""Reader studies made of files."""

from typing import Any

from pauci.cli.files import Reading, read
from pauci.cli.samples import about, positive_of
from pauci.cli.wording import speaking
from pauci.errors import PauciError
from pauci.readers.study import ReaderStudy


def study_of(
    file: str, reading: Reading, reader: str, modality: str | None, case: str, label: str,
    score: str, positive: str | None, cluster: str | None, **options: Any,
) -> ReaderStudy:  # fmt: skip
    """Read a file with a row for each reading into a study."""
    needed = [c for c in (reader, modality, case, label, score, cluster) if c is not None]
    data = read(file, reading, needed)
    if list(data.frame.columns).count(score) == 1:
        data.refuse_text(score)
    for option, column in (("--reader", reader), ("--modality", modality), ("--case", case)):
        if column is not None and list(data.frame.columns).count(column) == 1:
            data.refuse_blank(option, column)
    try:
        with speaking(data.wording):
            return ReaderStudy.from_frame(
                data.frame, reader, modality, case, label, score,
                positive_of(data, label, positive), cluster, **options,
            )  # fmt: skip
    except PauciError as error:
        raise about(data, error) from None
