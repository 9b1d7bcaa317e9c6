"""Files of data, read into data frames."""
