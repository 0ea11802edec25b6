
/* Calibrated probabilities p (MODEL_N_CLASSES) of the row x. The largest is that of the class with
 * the largest score, however close the scores are. */
static inline void model_probabilities(const model_value *x, double *p) {
  int32_t sums[MODEL_N_SUMS], exit_step;
  const int32_t *f;
  double factor;
  int k, winner = 0, largest = 0;
#if MODEL_N_SCORES == 1
  double odds, small;
#else
  double sum = 0;
#endif
  model_run(x, sums, &exit_step);
  f = model_final(exit_step, sums);
  factor = model_factors[model_groups[exit_step]];
#if MODEL_N_SCORES == 1
  winner = f[0] > 0;
  odds = model_rounded(factor * (f[0] * MODEL_UNIT)) + model_offsets[model_groups[exit_step]];
  small = model_exp(odds < 0 ? odds : -odds);
  p[0] = (odds <= 0 ? 1 : small) / (1 + small);
  p[1] = (odds >= 0 ? 1 : small) / (1 + small);
#else
  for (k = 1; k < MODEL_N_SCORES; ++k)
    if (f[k] > f[winner]) winner = k;
  for (k = 0; k < MODEL_N_SCORES; ++k)
    sum += p[k] = model_exp(factor * (f[k] * MODEL_UNIT - f[winner] * MODEL_UNIT));
  for (k = 0; k < MODEL_N_SCORES; ++k) p[k] /= sum;
#endif
  for (k = 1; k < MODEL_N_CLASSES; ++k)
    if (p[k] > p[largest]) largest = k;
  if (largest != winner) p[winner] = model_above(p[largest]);
}
