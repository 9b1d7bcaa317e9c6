"""Columns of the data frames of estimates and comparisons; new columns are appended."""

ESTIMATE_COLUMNS = (
    "classifier measure region fpr_low fpr_high tpr_low tpr_high threshold_low threshold_high "
    "value se low high level kind variance design n_pos n_neg bias scheme n_resamples seed df "
    "effective_size resolution_bound cautions conservative dropped left_out group"
)
COMPARISON_COLUMNS = (
    "first second measure region difference se statistic pvalue p_adjusted null alternative "
    "low high level kind correlation value_first value_second paired variance design_first "
    "design_second n_pos_first n_neg_first n_pos_second n_neg_second bias scheme n_resamples "
    "seed df resolution_bound cautions conservative dropped_first dropped_second "
    "left_out_first left_out_second group"
)
