// Reject thresholds by backward induction, and what rows do with them. Sums are (T, n), one row of
// numbers per step. Twin: tests/reference/cascades.py.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace mddag {

// sums  : f_1 .. f_T of each row
// ranks : at each step the rows by rising key
// cuts  : a threshold behind the k-th of them, NaN where the next row is a tie
struct RankedSums {
  const double* sums;
  const std::int32_t* ranks;
  const double* cuts;
  std::size_t n_rows;
};

// reject   : what a row pays when it is rejected, (n,)
// negative : its share of a cost, (n,); 0 for positives
// reached  : the last step (0-based) that a row reaches, (n,); it counts in none behind it
// prices   : of the steps, (length,)
// looks    : whether a row may be rejected behind a step, (length,)
struct RejectionCosts {
  const double* reject;
  const double* negative;
  const std::int32_t* reached;
  const double* prices;
  const bool* looks;
};

// going_on : (n,), what rows pay at the end; becomes what they pay from the first step on
// least    : gain that a threshold must bring
// out      : (length,), -inf where no row is rejected, as behind the last step
inline void reject_thresholds(const RankedSums& ranked, const RejectionCosts& costs,
                              std::size_t length, double least, double* going_on, double* out) {
  const std::size_t n = ranked.n_rows;
  std::fill(out, out + length, -std::numeric_limits<double>::infinity());
  for (std::size_t t = length - 1; t-- > 0;) {
    for (std::size_t i = 0; i < n; ++i) going_on[i] += costs.prices[t + 1] * costs.negative[i];
    if (!costs.looks[t]) continue;
    const std::int32_t* ranks = ranked.ranks + t * n;
    const double *cuts = ranked.cuts + t * n, *sums = ranked.sums + t * n;
    double gain = 0, best = least;
    std::size_t at = n;
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = static_cast<std::size_t>(ranks[k]);
      if (i >= n) continue;  // no row: nothing is read
      if (costs.reached[i] >= static_cast<std::int64_t>(t)) gain += going_on[i] - costs.reject[i];
      if (gain > best && !std::isnan(cuts[k])) best = gain, at = k;
    }
    if (at == n) continue;
    out[t] = cuts[at];
    for (std::size_t i = 0; i < n; ++i)
      if (sums[i] <= out[t]) going_on[i] = costs.reject[i];
  }
}

// The last step (0-based) that each row reaches under thresholds (length,), (n,).
inline void last_steps(const double* sums, std::size_t n_rows, const double* thresholds,
                       std::size_t length, std::int32_t* last) {
  const auto end = static_cast<std::int32_t>(length) - 1;
  std::fill(last, last + n_rows, end);
  for (std::size_t t = length - 1; t-- > 0;)  // so that the first rejection has the last word
    for (std::size_t i = 0; i < n_rows; ++i)
      last[i] = sums[t * n_rows + i] <= thresholds[t] ? static_cast<std::int32_t>(t) : last[i];
}

}  // namespace mddag
