"""The design of a reader study, read off its readings: who read what in which modality."""

from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from pauci.checks import BoolArray, IntArray
from pauci.equality import EqualByFields
from pauci.results import format as fmt

Crossing = Literal["crossed", "nested", "partly crossed"]


@dataclass(frozen=True, eq=False)
class Layout(EqualByFields):
    """How readers, cases and modalities meet.

    Attributes
    ----------
    name : str
        ``"factorial"``, ``"split-plot"``, ``"cases nested in readers"``, or ``"partly crossed"``
        where no such word fits, and what else is to be said of the modalities.
    readers_by_modalities : {"crossed", "nested", "partly crossed"}
        Whether every reader reads in every modality, each in one only, or neither.
    cases_by_modalities : {"crossed", "nested", "partly crossed"}
        Whether cases are read in every modality, each in one only, or neither. Single readings that
        are missing do not matter.
    blocks : tuple of tuple of int
        Readers who read the same cases, but for some, by position.
    block_of_reader : ndarray of int
        The block of each reader.
    missing : int
        Readings that would complete the design: of cases of its block and modality that a reader
        did not read.
    shared : int
        Cases that readers of several blocks read.
    """

    name: str
    readers_by_modalities: Crossing
    cases_by_modalities: Crossing
    blocks: tuple[tuple[int, ...], ...]
    block_of_reader: IntArray
    missing: int
    shared: int


def layout_of(read: BoolArray) -> Layout:
    """Return the design of a study, from which cases each reader read in each modality.

    Parameters
    ----------
    read : ndarray of bool, shape (readers, modalities, cases)
        Whether there is such a reading.
    """
    has_cell: BoolArray = np.asarray(read.any(axis=2))
    by_reader: BoolArray = np.asarray(read.any(axis=1))
    blocks, block_of_case = _blocks(by_reader)
    block_of_reader = np.empty(len(by_reader), dtype=np.int64)
    for i, readers in enumerate(blocks):
        block_of_reader[list(readers)] = i
    readers_by = _crossing(has_cell.sum(axis=1), has_cell.shape[1])
    cases_by = _cases_by_modalities(read)
    missing = 0
    for i, readers in enumerate(blocks):
        part: BoolArray = np.asarray(read[list(readers)] & (block_of_case == i))
        seen: BoolArray = np.asarray(part.any(axis=0))
        if cases_by == "crossed":
            seen = np.broadcast_to(np.asarray(seen.any(axis=0)), seen.shape)
        expected = (has_cell[list(readers)][:, :, None] & seen[None]).sum()
        missing += int(expected - part.sum())
    # A table that is half empty is no study of such a design with readings missing.
    sparse = missing > int(read.sum())
    by_block = np.stack([by_reader[list(readers)].any(axis=0) for readers in blocks])
    shared = int(np.count_nonzero(by_block.sum(axis=0) > 1))
    words = _name(blocks, read, sparse=sparse)
    if read.shape[1] > 1:
        if readers_by != "crossed":
            words += f", readers {_in_modalities(readers_by)}"
        if cases_by != "crossed":
            words += f", cases {_in_modalities(cases_by)}"
    if missing and not sparse:
        words += f", {fmt.count(missing, 'reading')} missing"
    if shared and not sparse:
        words += f", {fmt.count(shared, 'case')} read by several blocks"
    return Layout(words, readers_by, cases_by, blocks, block_of_reader, missing, shared)


def _in_modalities(crossing: Crossing) -> str:
    return "nested in modalities" if crossing == "nested" else "partly crossed with modalities"


def _name(blocks: tuple[tuple[int, ...], ...], read: BoolArray, *, sparse: bool) -> str:
    """Return what readers by cases are called."""
    if sparse:
        return "partly crossed"
    if len(blocks) == 1:
        return "factorial" if read.shape[0] > 1 else "one reader"
    if all(len(block) == 1 for block in blocks):
        return "cases nested in readers"
    return f"split-plot ({len(blocks)} blocks)"


def _crossing(counts: IntArray, modalities: int) -> Crossing:
    if modalities == 1 or bool((counts == modalities).all()):
        return "crossed"
    return "nested" if bool((counts == 1).all()) else "partly crossed"


def _cases_by_modalities(read: BoolArray) -> Crossing:
    """Return whether modalities share their cases, but for a few readings that are missing."""
    seen: BoolArray = np.asarray(read.any(axis=0))
    shares = []
    for a, b in combinations(seen, 2):
        shares.append(int((a & b).sum()) / max(min(int(a.sum()), int(b.sum())), 1))
    if all(share >= 0.9 for share in shares):
        return "crossed"
    return "nested" if not any(shares) else "partly crossed"


def _blocks(by_reader: BoolArray) -> tuple[tuple[tuple[int, ...], ...], IntArray]:
    """Return groups of readers that read the same cases, but for some, and the block of each case.

    Two readers are in one block if they share at least half of the cases of the one with fewer.
    """
    floats = by_reader.astype(np.float64)
    both, sizes = floats @ floats.T, floats.sum(axis=1)
    shared = 2.0 * both >= np.minimum(sizes[:, None], sizes[None])
    left = set(range(len(by_reader)))
    blocks = []
    while left:
        block, new = set(), {min(left)}
        while new:
            block |= new
            reached = {int(r) for r in np.flatnonzero(shared[sorted(new)].any(axis=0))}
            new = reached - block
        blocks.append(tuple(sorted(block)))
        left -= block
    shares = np.stack([floats[list(readers)].mean(axis=0) for readers in blocks])
    return tuple(blocks), shares.argmax(axis=0)
