"""Data frames that are not pandas': columns taken as they are, or counts made where rows are."""
