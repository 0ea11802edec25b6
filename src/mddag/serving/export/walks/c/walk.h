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
    at = split->child[!model_goes_left(split, model_column(x, split->feature))];
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

/* Step j adds its votes to the sums. */
static inline void model_evaluate(int32_t j, const model_row *x, int32_t *sums) {
  int32_t t;
#if MODEL_STAGED
  int32_t vote = 0, w;
  for (t = (int32_t)model_rounds[j]; t < (int32_t)model_rounds[j + 1]; ++t)
    model_add(t, x, &vote);
  for (w = (int32_t)model_write_starts[j]; w < (int32_t)model_write_starts[j + 1]; ++w)
    sums[model_write_columns[w]] += vote;
#else
  for (t = (int32_t)model_rounds[j]; t < (int32_t)model_rounds[j + 1]; ++t) model_add(t, x, sums);
#endif
}

/* What the decision of a row of the table reads; *row becomes that of the top class. */
static inline model_state model_read(int32_t *row, const int32_t *sums) {
#if MODEL_STAGED
  return sums[model_reads[*row]];
#elif MODEL_N_SCORES == 1
  (void)row;
  return sums[0];
#else
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
  *row = *row * MODEL_N_SCORES + top;
  return (uint32_t)best - (uint32_t)second;
#endif
}

#ifndef MODEL_BRANCH /* where a compiler is to branch, and not to select; see freestanding.h */
#define MODEL_BRANCH
#endif

/* The first run from low to high whose bound is not below the state. */
static inline int32_t model_place(const model_state *bounds, int32_t low, int32_t high,
                                  model_state state) {
  while (low < high) {
    const int32_t middle = low + (int32_t)((uint32_t)(high - low) / 2);
    if (state > bounds[middle]) {
      MODEL_BRANCH;
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* Where the table leads when j steps are over: to the next step to evaluate. */
static inline int32_t model_look(int32_t j, const int32_t *sums) {
  model_state state;
  int32_t row;
  if (j % MODEL_EVERY) return j;
  row = j / MODEL_EVERY;
  state = model_read(&row, sums);
  return model_jumps[model_place(model_bounds, (int32_t)model_starts[row],
                                 (int32_t)model_starts[row + 1] - 1, state)];
}

/* The next step to evaluate when j steps are over. */
static inline int32_t model_next(int32_t j, const int32_t *sums) {
#if MODEL_STAGED /* a later step may read another column, and decides again */
  int32_t to = model_look(j, sums);
  while (to != j && to < MODEL_N_STEPS) {
    j = to;
    to = model_look(j, sums);
  }
  return to;
#else
  return model_look(j, sums);
#endif
}

/* Sums (MODEL_N_SUMS); returns how many base classifiers were evaluated. *exit_step is one more
 * than the last of the kept steps that was. */
static inline int model_run(const model_value *x, int32_t *sums, int32_t *exit_step) {
  int k, n_evaluated = 0;
  int32_t j;
#if MODEL_PATCHES
  model_row patch;
  const model_row *row = &patch;
  model_load(x, &patch);
#else
  const model_row *row = x;
#endif
  *exit_step = 0;
  for (k = 0; k < MODEL_N_SUMS; ++k) sums[k] = model_bias[MODEL_STAGED ? 0 : k];
  for (j = model_next(0, sums); j < MODEL_N_STEPS; j = model_next(j + 1, sums)) {
    model_evaluate(j, row, sums);
    *exit_step = j + 1;
    ++n_evaluated;
  }
  return n_evaluated;
}

/* Where the final scores (MODEL_N_SCORES) are. */
static inline const int32_t *model_final(int32_t exit_step, const int32_t *sums) {
#if MODEL_STAGED
  return sums + model_reads[(exit_step + MODEL_EVERY - 1) / MODEL_EVERY];
#else
  (void)exit_step;
  return sums;
#endif
}

/* How many base classifiers the row x (MODEL_N_FEATURES) needs. */
static inline int model_evaluations(const model_value *x) {
  int32_t sums[MODEL_N_SUMS], exit_step;
  return model_run(x, sums, &exit_step);
}

/* The raw scores f (MODEL_N_SCORES) of the row x. */
static inline void model_scores(const model_value *x, double *scores) {
  int32_t sums[MODEL_N_SUMS], exit_step;
  const int32_t *f;
  int k;
  model_run(x, sums, &exit_step);
  f = model_final(exit_step, sums);
  for (k = 0; k < MODEL_N_SCORES; ++k) scores[k] = f[k] * MODEL_UNIT;
}

#if MODEL_CLASSIFIES
#if MODEL_VERDICTS
/* The verdict of a row of the table: a class, -1 for that by the scores, -2 for that of the end. */
static inline int model_verdict(int32_t row, const int32_t *sums) {
  const model_state state = model_read(&row, sums);
  return model_verdicts[model_place(model_verdict_bounds, (int32_t)model_verdict_starts[row],
                                    (int32_t)model_verdict_starts[row + 1] - 1, state)];
}
#endif

/* The number of the class of the row x: where it quits may say it, else the largest score does; a
 * tie goes to the first class. */
static inline int model_predict(const model_value *x) {
  int32_t sums[MODEL_N_SUMS], exit_step;
  model_run(x, sums, &exit_step);
#if MODEL_VERDICTS
  {
    int32_t j = exit_step;
    int code;
#if MODEL_STAGED
    int32_t to;
    while ((to = model_look(j, sums)) < MODEL_N_STEPS) j = to;
#endif
    code = model_verdict((j + MODEL_EVERY - 1) / MODEL_EVERY, sums);
    if (code == -2)
      code = model_verdict((MODEL_N_STEPS + MODEL_EVERY - 1) / MODEL_EVERY, sums);
    if (code >= 0) return code;
  }
#endif
#if MODEL_N_SCORES == 1
  return *model_final(exit_step, sums) > 0;
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
  int32_t sums[MODEL_N_SUMS], exit_step;
  double f;
  model_run(x, sums, &exit_step);
  f = *model_final(exit_step, sums) * MODEL_UNIT;
  return MODEL_LINK(model_rounded(model_factors[model_groups[exit_step]] * f) +
                    model_offsets[model_groups[exit_step]]);
}
#endif
