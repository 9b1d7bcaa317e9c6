"""Cut-offs chosen from the data: rules, confidence sets, and the accuracy of the chosen cut-off."""
