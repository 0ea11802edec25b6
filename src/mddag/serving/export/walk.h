/* The walk: from the row of the jump table for the scores so far to the next step that is evaluated,
 * until the target is MODEL_N_STEPS. */

static inline int model_goes_left(const model_split *split, model_number v) {
#if MODEL_INTEGERS
  if (v == MODEL_MISSING) return split->missing_left;
#else
  if (v != v) return split->missing_left; /* NaN */
#endif
#if MODEL_NOMINAL
  if (split->n_words > 0) {
    uint32_t category;
    if (!(v > -1 && v < (model_number)32 * (model_number)split->n_words)) return 0;
    category = (uint32_t)v; /* towards zero */
    return (int)(model_words[split->word + (category >> 5)] >> (category & 31) & 1);
  }
#endif
  return v <= split->threshold;
}

/* Where the votes of the leaf begin that x reaches in a tree. */
static inline int32_t model_leaf(int32_t at, const model_row *x) {
  while (at >= 0) {
    const model_split *split = &model_splits[at];
    at = split->child[!model_goes_left(split, model_read(x, split->feature))];
  }
  return ~at;
}

static inline void model_add(int32_t t, const model_row *x, int32_t *sums) {
  const int32_t *votes = model_votes + model_leaf(model_roots[t], x);
#if MODEL_N_SCORES == 1
  sums[0] += votes[0];
#else
  int k;
  if (model_score[t] >= 0)
    sums[model_score[t]] += votes[0];
  else
    for (k = 0; k < MODEL_N_SCORES; ++k) sums[k] += votes[k];
#endif
}

/* The next step to evaluate when j steps are over. */
static inline int32_t model_next(int32_t j, const int32_t *sums) {
  model_state state;
  int32_t row, low, high;
  if (j % MODEL_EVERY) return j;
  row = j / MODEL_EVERY;
#if MODEL_N_SCORES == 1
  state = sums[0];
#else
  {
    int k, top = sums[1] > sums[0]; /* the first of the best */
    int32_t best = sums[top], second = sums[1 - top];
    for (k = 2; k < MODEL_N_SCORES; ++k) {
      if (sums[k] > best) {
        second = best;
        best = sums[k];
        top = k;
      } else if (sums[k] > second) {
        second = sums[k];
      }
    }
    state = (uint32_t)best - (uint32_t)second;
    row = row * MODEL_N_SCORES + top;
  }
#endif
  low = (int32_t)model_starts[row];
  high = (int32_t)model_starts[row + 1] - 1;
  while (low < high) { /* the first run whose bound is not below the state */
    const int32_t middle = low + (high - low) / 2;
    if (state > model_bounds[middle])
      low = middle + 1;
    else
      high = middle;
  }
  return model_jumps[low];
}

/* Sums (MODEL_N_SCORES); returns how many base classifiers were evaluated. *exit_step is one more
 * than the last of the kept steps that was. */
static inline int model_run(const model_value *x, int32_t *sums, int32_t *exit_step) {
  int k, n_evaluated = 0;
  int32_t j, t;
#if MODEL_PATCHES
  model_row patch;
  const model_row *row = &patch;
  model_load(x, &patch);
#else
  const model_row *row = x;
#endif
  *exit_step = 0;
  for (k = 0; k < MODEL_N_SCORES; ++k) sums[k] = model_bias[k];
  for (j = model_next(0, sums); j < MODEL_N_STEPS; j = model_next(j + 1, sums)) {
    for (t = (int32_t)model_rounds[j]; t < (int32_t)model_rounds[j + 1]; ++t)
      model_add(t, row, sums);
    *exit_step = j + 1;
    ++n_evaluated;
  }
  return n_evaluated;
}

/* How many base classifiers the row x (MODEL_N_FEATURES) needs. */
static inline int model_evaluations(const model_value *x) {
  int32_t sums[MODEL_N_SCORES], exit_step;
  return model_run(x, sums, &exit_step);
}

/* The raw scores f (MODEL_N_SCORES) of the row x. */
static inline void model_scores(const model_value *x, double *scores) {
  int32_t sums[MODEL_N_SCORES], exit_step;
  int k;
  model_run(x, sums, &exit_step);
  for (k = 0; k < MODEL_N_SCORES; ++k) scores[k] = sums[k] * MODEL_UNIT;
}

#if MODEL_CLASSIFIES
/* The number of the winning class of the row x; a tie goes to the first class. */
static inline int model_predict(const model_value *x) {
  int32_t sums[MODEL_N_SCORES], exit_step;
  model_run(x, sums, &exit_step);
#if MODEL_N_SCORES == 1
  return sums[0] > 0;
#else
  {
    int k, top = 0;
    for (k = 1; k < MODEL_N_SCORES; ++k)
      if (sums[k] > sums[top]) top = k;
    return top;
  }
#endif
}
#else
/* The mean that is expected for the row x. */
static inline double model_predict(const model_value *x) {
  int32_t sums[MODEL_N_SCORES], exit_step;
  model_run(x, sums, &exit_step);
  return MODEL_LINK(model_factors[model_groups[exit_step]] * (sums[0] * MODEL_UNIT) +
                    model_offsets[model_groups[exit_step]]);
}
#endif

#endif
