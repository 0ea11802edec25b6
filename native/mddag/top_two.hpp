// The best class and its margin over the second: what remains of K > 1 scores in the state.
#pragma once

#include <cstddef>

namespace mddag {

struct TopTwo {
  std::size_t which;  // the first of the best
  double margin;
};

inline TopTwo top_two(const double* f, std::size_t n_scores) {
  std::size_t top = f[1] > f[0];
  double best = f[top], second = f[1 - top];
  for (std::size_t k = 2; k < n_scores; ++k) {
    if (f[k] > best) {
      second = best;
      best = f[k];
      top = k;
    } else if (f[k] > second) {
      second = f[k];
    }
  }
  return {top, best - second};
}

}  // namespace mddag
