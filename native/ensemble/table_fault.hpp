// Whether the arrays of an ensemble fit each other. Kernels index by `score`, `rounds` and `order`
// without checks, so bindings that take the arrays call these functions first. The arrays were
// checked in Python, with messages for users; here they are checked again, so that no way around
// Python's checks leads to foreign memory. Single trees are checked by tree_fault.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "ensemble/trees.hpp"
#include "internal/span.hpp"

namespace mddag {

[[noreturn]] inline void refuse(const std::string& what) { throw std::invalid_argument(what); }

// Starts of segments that lie one behind the other: from 0 to `end`, never falling.
inline void require_starts(const char* name, Span<const std::int64_t> starts, std::size_t end) {
  bool sound = starts.size > 0 && starts[0] == 0 &&
               starts[starts.size - 1] == static_cast<std::int64_t>(end);
  for (std::size_t i = 1; i < starts.size; ++i) sound &= starts[i - 1] <= starts[i];
  if (!sound) refuse(std::string(name) + " do not rise from 0 to " + std::to_string(end));
}

inline void require_trees(const Trees& trees) {
  require_starts("starts of nodes", trees.starts, trees.nodes.size);
  require_starts("starts of words", trees.word_starts, trees.words.size);
  if (trees.word_starts.size != trees.starts.size) refuse("nodes and words are of other trees");
  if (trees.words.size > std::numeric_limits<std::int32_t>::max()) refuse("too many words");
}

// Of each tree the score that it votes for, -1 for all.
inline void require_scores(Span<const std::int32_t> score, std::size_t n_scores) {
  for (std::size_t t = 0; t < score.size; ++t)
    if (score[t] < -1 || score[t] >= static_cast<std::int64_t>(n_scores))
      refuse("tree " + std::to_string(t) + " votes for score " + std::to_string(score[t]) +
             "; there are " + std::to_string(n_scores));
}

// Tables of votes, laid out as in Tables of src/mddag/ensemble/votes.py.
inline void require_tables(std::size_t n_values, Span<const std::int64_t> starts,
                           Span<const std::int32_t> score, Span<const std::int64_t> rounds,
                           std::size_t n_scores) {
  if (n_scores == 0) refuse("there are 0 scores");
  if (starts.size != score.size + 1) refuse("starts and score are not of the same trees");
  require_starts("starts", starts, n_values);
  require_scores(score, n_scores);
  require_starts("rounds", rounds, score.size);
}

// The base classifiers of a policy's steps, out of n.
inline void require_order(Span<const std::int64_t> order, std::size_t n) {
  for (std::size_t j = 0; j < order.size; ++j)
    if (order[j] < 0 || order[j] >= static_cast<std::int64_t>(n))
      refuse("step " + std::to_string(j) + " evaluates base classifier " +
             std::to_string(order[j]) + "; there are " + std::to_string(n));
}

}  // namespace mddag
