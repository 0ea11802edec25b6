/* A row: MODEL_N_FEATURES values. */

typedef model_value model_row;

static inline model_number model_column(const model_row *row, int32_t feature) {
  return row[feature];
}

