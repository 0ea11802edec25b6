// The state of a row as sums of integers. mdp/state.hpp lists what a state must provide, with two
// exceptions: instead of a cell there is `at`, what a decision reads, since Jumps compares it with
// thresholds of its own; and votes are added for several rows at once, by add_each of turns.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mdp/state.hpp"

namespace mddag {

// The state of the paper. A margin of two sums needs 64 bits.
struct SumState {
  static constexpr bool kFolds = true;

  std::size_t n_scores;

  std::size_t width() const { return n_scores; }
  std::size_t n_parts() const { return n_scores; }

  // f : (n, width). One loop: a copy for every row would be a call for every row.
  void start(const std::int32_t* bias, std::size_t n, std::int32_t* f) const {
    for (std::size_t i = 0; i < n * width(); ++i) f[i] = bias[i % width()];
  }

  DecisionState<std::int64_t> at(std::size_t /*j*/, const std::int32_t* f) const {
    return state_of<std::int64_t>(f, n_scores);
  }
};

}  // namespace mddag
