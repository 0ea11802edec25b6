// One row and what it stands for: the walk's scores, read by the calibration of the exit at which
// the row leaves.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "ensemble/table_fault.hpp"
#include "walk/probabilities.hpp"
#include "walk/walk.hpp"

namespace mddag {

template <class RowWalk>
class CalibratedWalk {
 public:
  // factors, offsets : one for each exit step 0 .. N; the walk must stay alive.
  CalibratedWalk(const RowWalk& walk, std::vector<double>&& factors, std::vector<double>&& offsets)
      : walk_(walk), factors_(std::move(factors)), offsets_(std::move(offsets)) {
    if (factors_.size() <= walk.n_steps() || offsets_.size() != factors_.size())
      refuse("factors and offsets are not of all exit steps");
  }

  const RowWalk& walk() const { return walk_; }

  // The class probabilities of one row; p : (max(K, 2),).
  template <class T>
  void probabilities(const T* x, double* p) const {
    const std::size_t K = walk_.n_scores();
    if (K == 1) {
      double f;
      const std::size_t exit = walk_.exit_of(x, &f);
      return mddag::probabilities(&f, 1, factors_[exit], offsets_[exit], p);
    }
    std::vector<double> f(K);
    const std::size_t exit = walk_.exit_of(x, f.data());
    mddag::probabilities(f.data(), K, factors_[exit], offsets_[exit], p);
  }

  // The calibrated first score of one row: a regressor's, before its link.
  template <class T>
  double mean(const T* x) const {
    std::vector<double> f(walk_.n_scores());
    const std::size_t exit = walk_.exit_of(x, f.data());
    return factors_[exit] * f[0] + offsets_[exit];
  }

 private:
  const RowWalk& walk_;
  std::vector<double> factors_, offsets_;
};

}  // namespace mddag
