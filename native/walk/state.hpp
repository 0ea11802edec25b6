// The state of a row as sums of integers. mdp/state.hpp lists what a state must provide, with these
// exceptions: instead of a cell there is `at`, what a decision reads, since Jumps compares it with
// thresholds of its own; and votes are added for several rows at once, by add_each of turns.hpp, to
// the first numbers that a row carries. Then
//
//   evaluated(j, f)          f after the vote of step j has been added to f[0]
//   at_end(f)                what the end reads of rows that have passed all steps
//   scores(f, n, unit, out)  the final scores (n, K) of n rows
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

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

  void evaluated(std::size_t /*j*/, std::int32_t* /*f*/) const {}
  DecisionState<std::int64_t> at_end(const std::int32_t* f) const { return at(0, f); }
  void scores(const std::int32_t* f, std::size_t n, double unit, double* out) const {
    for (std::size_t i = 0; i < n * width(); ++i) out[i] = f[i] * unit;
  }
};

// The columns of src/mddag/policy/state.py. A row carries the K votes of the last step, its exit
// step, and the columns of K scores each. Twin: tests/reference/stages.py.
struct StageSumState {
  static constexpr bool kFolds = false;

  std::vector<std::int64_t> reads;         // (N + 1,)
  std::vector<std::int64_t> write_starts;  // (N + 1,), into write_columns
  std::vector<std::int64_t> write_columns;
  std::size_t n_columns;
  std::size_t end;  // the column that the end reads, behind all steps
  std::size_t n_scores;

  std::size_t width() const { return n_scores + 1 + n_columns * n_scores; }
  std::size_t n_parts() const { return n_scores; }

  void start(const std::int32_t* bias, std::size_t n, std::int32_t* f) const {
    for (std::size_t i = 0; i < n; ++i, f += width()) {
      std::fill_n(f, n_scores + 1, 0);
      for (std::size_t c = 0; c < n_columns; ++c)
        std::copy_n(bias, n_scores, f + place(static_cast<std::int64_t>(c)));
    }
  }

  DecisionState<std::int64_t> at(std::size_t j, const std::int32_t* f) const {
    return state_of<std::int64_t>(f + place(reads[j]), n_scores);
  }

  void evaluated(std::size_t j, std::int32_t* f) const {
    for (std::int64_t w = write_starts[j]; w < write_starts[j + 1]; ++w) {
      std::int32_t* column = f + place(write_columns[static_cast<std::size_t>(w)]);
      for (std::size_t k = 0; k < n_scores; ++k) column[k] += f[k];
    }
    std::fill_n(f, n_scores, 0);
    f[n_scores] = static_cast<std::int32_t>(j) + 1;
  }

  DecisionState<std::int64_t> at_end(const std::int32_t* f) const {
    return state_of<std::int64_t>(f + place(static_cast<std::int64_t>(end)), n_scores);
  }

  void scores(const std::int32_t* f, std::size_t n, double unit, double* out) const {
    for (std::size_t i = 0; i < n; ++i, f += width()) {
      const std::int32_t* column = f + place(reads[static_cast<std::size_t>(f[n_scores])]);
      for (std::size_t k = 0; k < n_scores; ++k) *out++ = column[k] * unit;
    }
  }

 private:
  std::size_t place(std::int64_t column) const {
    return n_scores + 1 + static_cast<std::size_t>(column) * n_scores;
  }
};

}  // namespace mddag
