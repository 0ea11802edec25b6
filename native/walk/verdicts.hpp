// The class of a row by the decision and the cell in which it quits: src/mddag/policy/policy.py, on
// integer sums. Twins: tests/reference/rollout.py and stages.py.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mdp/state.hpp"

namespace mddag {

struct Verdicts {
  // Other verdicts than classes: by the scores; that of the end of the walk; that of rows which
  // have passed all steps of the policy, of which the walk may have the first ones alone.
  static constexpr std::int64_t kByScores = -1, kAtEnd = -2, kPassed = -3;

  std::vector<std::int64_t> edges;   // not decreasing
  std::vector<std::int16_t> table;   // (n_decisions + 1, n_cells)
  std::vector<std::int16_t> passed;  // (n_cells,)
  std::size_t every;
  std::size_t n_steps;

  // The class of a row that carries f and evaluates nothing more from a step on; kByScores where
  // its scores decide. A step lies at a decision, or at the end.
  template <class State>
  std::int64_t of(const State& state, std::size_t step, const std::int32_t* f) const {
    std::int64_t verdict = at((step + every - 1) / every, cell(state.at(step, f)));
    if (verdict == kAtEnd) verdict = at(n_decisions(), cell(state.at(n_steps, f)));
    return verdict == kPassed ? passed[cell(state.at_end(f))] : verdict;
  }

  std::size_t n_decisions() const { return (n_steps + every - 1) / every; }

 private:
  std::int64_t at(std::size_t decision, std::size_t cell) const {
    return table[decision * passed.size() + cell];
  }
  std::size_t cell(const DecisionState<std::int64_t>& read) const {
    const auto below = std::lower_bound(edges.begin(), edges.end(), read.s) - edges.begin();
    return read.part * (edges.size() + 1) + static_cast<std::size_t>(below);
  }
};

}  // namespace mddag
