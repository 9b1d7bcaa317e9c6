"""Sequences whose items can also be selected by a key, such as a name."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Generic, TypeVar, overload

ItemT = TypeVar("ItemT")
KeyT = TypeVar("KeyT", bound="str | tuple[Any, ...]")
SelectedT = TypeVar("SelectedT")


class KeyedSequence(Sequence[ItemT], Generic[ItemT, KeyT, SelectedT]):
    """A sequence whose items are selected by position, or by a key that one or several have."""

    _key_type: ClassVar[type[Any]] = str

    @property
    @abstractmethod
    def _items(self) -> Sequence[ItemT]:
        """All items."""

    @abstractmethod
    def _selected(self, key: KeyT) -> SelectedT:
        """Return what a key selects, or raise a KeyError."""

    @overload
    def __getitem__(self, index: int) -> ItemT: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[ItemT, ...]: ...
    @overload
    def __getitem__(self, index: KeyT) -> SelectedT: ...
    def __getitem__(self, index: Any) -> Any:
        """Return an item by position, a tuple of items for a slice, or what a key selects."""
        return self._selected(index) if isinstance(index, self._key_type) else self._items[index]

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self._items)

    def __iter__(self) -> Iterator[ItemT]:
        """Iterate over the items."""
        return iter(self._items)
