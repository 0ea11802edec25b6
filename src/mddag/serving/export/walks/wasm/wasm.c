/* What the module exports: one row at a time, in memory that the host reads and writes. */

static model_value row[MODEL_N_FEATURES ? MODEL_N_FEATURES : 1];
static double numbers[MODEL_N_SCORES > 2 ? MODEL_N_SCORES : 2];

#define EXPORTED(name) __attribute__((export_name(#name)))

/* Where the values of the row are to be written. */
EXPORTED(row) model_value *model_row_address(void) { return row; }

EXPORTED(n_features) int32_t model_features(void) { return MODEL_N_FEATURES; }

EXPORTED(evaluations) int32_t model_evaluations_of_row(void) { return model_evaluations(row); }

/* Where the raw scores are, doubles. */
EXPORTED(scores) double *model_scores_of_row(void) {
  model_scores(row, numbers);
  return numbers;
}

/* The number of a class, or a mean. */
#if MODEL_CLASSIFIES
EXPORTED(predict) int32_t model_predict_row(void) { return model_predict(row); }
#else
EXPORTED(predict) double model_predict_row(void) { return model_predict(row); }
#endif

#ifdef MODEL_HAS_PROBABILITIES
/* Where the calibrated probabilities are, doubles. */
EXPORTED(probabilities) double *model_probabilities_of_row(void) {
  model_probabilities(row, numbers);
  return numbers;
}
#endif
