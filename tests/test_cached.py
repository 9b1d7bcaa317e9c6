"""Cached properties without a lock."""

from dataclasses import dataclass

from pauci.cached import cached_property


@dataclass(frozen=True)
class Circle:
    radius: float

    @cached_property
    def calls(self):
        """Calls of the property."""
        return []

    @cached_property
    def diameter(self):
        self.calls.append("diameter")
        return 2 * self.radius


def test_a_value_is_calculated_once_for_each_object():
    first, second = Circle(1), Circle(2)
    assert [first.diameter, first.diameter, second.diameter] == [2, 2, 4]
    assert first.calls == second.calls == ["diameter"]
    assert vars(first)["diameter"] == 2


def test_the_class_has_the_property_with_its_documentation():
    assert Circle.calls.__doc__ == "Calls of the property."
