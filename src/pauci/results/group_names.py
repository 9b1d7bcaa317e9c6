"""The names of groups and of the group with which the others are compared."""

ALL_ROWS = "all rows"
"""The name of the whole sample beside groups."""


def name_of_group(group: object) -> str:
    """Return the name of a group in tables and figures; all rows have the group None."""
    return ALL_ROWS if group is None else str(group)


def name_of_reference(reference: object) -> str:
    """Return the name of the reference in tables and sentences."""
    return ALL_ROWS if reference == "overall" else str(reference)
