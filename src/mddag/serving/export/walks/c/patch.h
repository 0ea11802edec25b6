/* A patch: MODEL_HEIGHT x MODEL_WIDTH gray levels, row by row. Its integral image is made once; a
 * feature, up to three rectangles with weights, is computed when a split reads it:
 *   value = sum of weight x pixels / (area x deviation), the deviation at least one gray level. */

typedef struct {
  uint32_t cells[(MODEL_HEIGHT + 1) * (MODEL_WIDTH + 1)]; /* sums of all pixels above and left */
  float scale;
} model_row;

static inline void model_load(const model_value *pixels, model_row *row) {
  const uint64_t area = MODEL_N_FEATURES;
  uint64_t sum = 0, squares = 0, spread;
  int32_t x, y;
  uint32_t *cell = row->cells;
  for (x = 0; x <= MODEL_WIDTH; ++x) *cell++ = 0;
  for (y = 0; y < MODEL_HEIGHT; ++y) {
    uint32_t line = 0;
    *cell++ = 0;
    for (x = 0; x < MODEL_WIDTH; ++x, ++cell) {
      const uint32_t pixel = *pixels++;
      line += pixel;
      squares += pixel * pixel;
      *cell = cell[-MODEL_WIDTH - 1] + line;
    }
    sum += line;
  }
  spread = area * squares - sum * sum;
  if (spread < area * area) spread = area * area;
  row->scale = (float)(1.0 / sqrt((double)spread));
}

static inline model_number model_column(const model_row *row, int32_t feature) {
  uint32_t sum = 0;
  int r;
  for (r = 3 * feature; r < 3 * feature + 3; ++r) {
    const uint32_t *cells = row->cells;
    sum += (uint32_t)model_weights[r] *
           (cells[model_corners[4 * r]] - cells[model_corners[4 * r + 1]] -
            cells[model_corners[4 * r + 2]] + cells[model_corners[4 * r + 3]]);
  }
  return (float)(int32_t)sum * row->scale;
}

