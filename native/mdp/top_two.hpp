// The best class and its margin over the second: what remains of K > 1 scores in the state.
#pragma once

#include <cstddef>

namespace mddag {

template <class Margin>
struct TopTwo {
  std::size_t which;  // the first of the best
  Margin margin;
};

// Margin is wide enough for the difference of any two scores.
template <class Margin, class Score>
TopTwo<Margin> top_two(const Score* f, std::size_t n_scores) {
  std::size_t top = f[1] > f[0];
  Score best = f[top], second = f[1 - top];
  for (std::size_t k = 2; k < n_scores; ++k) {
    if (f[k] > best) {
      second = best;
      best = f[k];
      top = k;
    } else if (f[k] > second) {
      second = f[k];
    }
  }
  return {top, static_cast<Margin>(best) - static_cast<Margin>(second)};
}

}  // namespace mddag
