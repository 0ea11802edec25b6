
/* A row whose features come in groups. Say which group it wants next, fill in the columns of that
 * group, and go on:
 *
 *   model_lazy row;
 *   model_value x[MODEL_N_FEATURES];
 *   int group;
 *   model_lazy_start(&row);
 *   while ((group = model_lazy_next(&row, x)) >= 0) {
 *     ...fill x[c] for each column c of the group...
 *     model_lazy_give(&row, group);
 *   }
 *   ...model_predict(x) reads nothing that was not fetched...
 *
 * The columns of a group are model_group_column(group, i) for i from 0 to model_group_size(group).
 * Columns that were not fetched are never read. */

static inline const char *model_group_name(int group) { return model_group_names[group]; }
static inline double model_group_cost(int group) { return model_group_costs[group]; }
static inline int model_group_size(int group) {
  return (int)(model_group_starts[group + 1] - model_group_starts[group]);
}
static inline int model_group_column(int group, int i) {
  return (int)model_group_columns[model_group_starts[group] + i];
}

#define MODEL_GROUP_WORDS ((MODEL_N_GROUPS + 31) / 32)

typedef struct {
  int32_t sums[MODEL_N_SUMS];
  int32_t step, exit_step;
  uint32_t had[MODEL_GROUP_WORDS];
} model_lazy;

static inline void model_lazy_start(model_lazy *row) {
  int k;
  for (k = 0; k < MODEL_N_SUMS; ++k) row->sums[k] = model_bias[MODEL_STAGED ? 0 : k];
  for (k = 0; k < MODEL_GROUP_WORDS; ++k) row->had[k] = 0;
  row->step = model_next(0, row->sums);
  row->exit_step = 0;
}

/* The groups of a word that the step lacks at which the row waits. */
static inline uint32_t model_lazy_lacking(const model_lazy *row, int word) {
  return model_wants[row->step * MODEL_GROUP_WORDS + word] & ~row->had[word];
}

/* Whether the row waits for a group: those of one step can be fetched together. */
static inline int model_lazy_lacks(const model_lazy *row, int group) {
  return row->step < MODEL_N_STEPS &&
         (int)(model_lazy_lacking(row, group / 32) >> (group % 32) & 1);
}

/* The group that the row x (MODEL_N_FEATURES) wants next, or -1 at its end. Values of a group are
 * read after model_lazy_give alone. */
static inline int model_lazy_next(model_lazy *row, const model_value *x) {
  for (; row->step < MODEL_N_STEPS; row->step = model_next(row->exit_step, row->sums)) {
    int group;
    for (group = 0; group < MODEL_N_GROUPS; ++group)
      if (model_lazy_lacks(row, group)) return group;
    model_evaluate(row->step, x, row->sums);
    row->exit_step = row->step + 1;
  }
  return -1;
}

/* The columns of a group have been filled in. */
static inline void model_lazy_give(model_lazy *row, int group) {
  row->had[group / 32] |= (uint32_t)1 << (group % 32);
}

/* The raw scores (MODEL_N_SCORES) so far: the best answer of a row that cannot go on. */
static inline void model_lazy_scores(const model_lazy *row, double *scores) {
  const int32_t *f = model_final(row->exit_step, row->sums);
  int k;
  for (k = 0; k < MODEL_N_SCORES; ++k) scores[k] = f[k] * MODEL_UNIT;
}
