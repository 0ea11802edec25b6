// The state of a row as sums of integers. mdp/state.hpp lists what a state must provide, with these
// exceptions: instead of a cell there is `at`, what a decision reads, since Jumps compares it with
// thresholds of its own; and votes are added for several rows at once, by add_each of turns.hpp, to
// the first numbers that a row carries. Then
//
//   evaluated(j, f)          f after the vote of step j has been added to f[0]
//   at_end(f)                what the end reads of rows that have passed all steps
//   scores(f, n, unit, out)  the final scores (n, K) of n rows
#pragma once

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

// The columns of src/mddag/mdp/stages.py. A row carries the vote of the last step, its exit step,
// and the columns. Twin: tests/reference/stages.py.
struct StageSumState {
  static constexpr bool kFolds = false;
  static constexpr std::size_t kColumns = 2;  // where they begin

  std::vector<std::int64_t> reads;         // (N + 1,)
  std::vector<std::int64_t> write_starts;  // (N + 1,), into write_columns
  std::vector<std::int64_t> write_columns;
  std::size_t n_columns;
  std::size_t end;  // the column that the end reads, behind all steps

  std::size_t width() const { return kColumns + n_columns; }
  std::size_t n_parts() const { return 1; }

  void start(const std::int32_t* bias, std::size_t n, std::int32_t* f) const {
    for (std::size_t i = 0; i < n * width(); ++i) f[i] = i % width() < kColumns ? 0 : *bias;
  }

  DecisionState<std::int64_t> at(std::size_t j, const std::int32_t* f) const {
    return {0, column(f, static_cast<std::size_t>(reads[j]))};
  }

  void evaluated(std::size_t j, std::int32_t* f) const {
    for (std::int64_t w = write_starts[j]; w < write_starts[j + 1]; ++w)
      f[kColumns + static_cast<std::size_t>(write_columns[static_cast<std::size_t>(w)])] += f[0];
    f[0] = 0;
    f[1] = static_cast<std::int32_t>(j) + 1;
  }

  DecisionState<std::int64_t> at_end(const std::int32_t* f) const { return {0, column(f, end)}; }

  void scores(const std::int32_t* f, std::size_t n, double unit, double* out) const {
    for (std::size_t i = 0; i < n; ++i, f += width())
      out[i] = static_cast<double>(at(static_cast<std::size_t>(f[1]), f).s) * unit;
  }

 private:
  std::int64_t column(const std::int32_t* f, std::size_t c) const { return f[kColumns + c]; }
};

}  // namespace mddag
