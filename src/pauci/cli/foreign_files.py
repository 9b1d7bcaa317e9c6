"""Files of other programs, which are told by their first bytes and named with a way out."""

from pauci.errors import InputError

READ = "text with a header line (CSV, TSV), Parquet or Excel (.xlsx)"
"""The files that the command line reads."""

_PANDAS = "save it as CSV, or in Python: pandas.{}({!r}).to_csv('data.csv', index=False)"

_SIGNATURES: tuple[tuple[int, bytes, str, str], ...] = (
    (0, b"$FL2", "an SPSS file", _PANDAS.format("read_spss", "data.sav")),
    (0, b"$FL3", "an SPSS file", _PANDAS.format("read_spss", "data.zsav")),
    (0, b"<stata_dta>", "a Stata file", _PANDAS.format("read_stata", "data.dta")),
    (1, b"\x01\x01\x00", "a Stata file", _PANDAS.format("read_stata", "data.dta")),
    (1, b"\x02\x01\x00", "a Stata file", _PANDAS.format("read_stata", "data.dta")),
    (12, b"\xc2\xea\x81\x60\xb3\x14", "a SAS file", _PANDAS.format("read_sas", "data.sas7bdat")),
    (0, b"HEADER RECORD*******", "a SAS transport file", _PANDAS.format("read_sas", "data.xpt")),
    (0, b"X\n\x00\x00\x00", "an R file (.rds)", "in R: write.csv(readRDS('data.rds'), 'data.csv')"),
    (0, b"RDX", "an R file (.RData)", "in R load it, and write.csv the data frame"),
    (0, b"ARROW1", "an Arrow file", _PANDAS.format("read_feather", "data.arrow")),
    (0, b"FEA1", "a Feather file", _PANDAS.format("read_feather", "data.feather")),
    (0, b"ORC", "an ORC file", _PANDAS.format("read_orc", "data.orc")),
    (0, b"Obj\x01", "an Avro file", "save it as Parquet"),
    (0, b"\x89HDF\r\n", "an HDF5 file", "write its table as CSV or Parquet"),
    (0, b"MATLAB 5.0 MAT-file", "a MATLAB file", "in MATLAB: writetable(T, 'data.csv')"),
    (0, b"\x93NUMPY", "a NumPy array", "in Python use pauci.Sample with the array"),
    (0, b"SQLite format 3\x00", "an SQLite database", "export its table as CSV"),
    (8, b"DUCK", "a DuckDB database", "in DuckDB: COPY t TO 'data.parquet', t being its table"),
    (30, b"mimetypeapplication/vnd.oasis", "an OpenDocument file", "save it as .xlsx or .csv"),
    (0, b"%PDF-", "a PDF file", "save the table that it shows as .xlsx or .csv"),
    (0, b"{\\rtf", "a rich text file", "save the table that it shows as .xlsx or .csv"),
    (0, b"\x28\xb5\x2f\xfd", "compressed by zstd", "unpack it first, or use .gz"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it first"),
    (0, b"Rar!\x1a\x07", "a RAR archive", "unpack it first"),
)  # fmt: skip
"""Where a file has which bytes, what it is then, and what to do."""

_PICKLES = {b"\x80" + bytes([version]) for version in (2, 3, 4, 5)}


def refuse_foreign_file(raw: bytes, name: str) -> None:
    """Refuse a file of another program, from its bytes."""
    for place, signature, what, way in _SIGNATURES:
        if raw[place : place + len(signature)] == signature and (place != 1 or _is_stata(raw)):
            raise InputError(f"{name} is {what}, which is not read here; {way}. Read are {READ}.")
    if raw[:2] in _PICKLES and raw.rstrip(b"\n")[-1:] == b".":
        raise InputError(
            f"{name} is a pickle of Python, which is not read here; write the data frame with "
            f"to_csv or to_parquet. Read are {READ}."
        )


def _is_stata(raw: bytes) -> bool:
    """Tell whether the first byte is a version of Stata's older files."""
    return raw[0] in range(0x69, 0x74)
