// Value functions Q_j(s, a) of a number s in [0, 1], one function per step, part of the state and
// action; a part is the top class (one part for K = 1). Twins: tests/reference/sarsa.py.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "internal/span.hpp"
#include "mdp/action.hpp"

namespace mddag {

// Where value functions are read: those of a step and part, at s.
struct Point {
  std::size_t slot;  // step x n_parts + part
  double s;
};

// Equal bins of s. q : (n_slots, n_bins, 3).
class TableValues {
 public:
  TableValues(double* q, std::size_t n_bins) : q_(q), n_bins_(n_bins) {}

  void values(const Point& at, double* q) const {
    const double* here = q_ + entry(at);
    for (std::size_t a = 0; a < kActions; ++a) q[a] = here[a];
  }

  // error is the one-step temporal difference, unused by a table.
  void update(const Point& at, std::size_t action, double step, double /*error*/) {
    q_[entry(at) + action] += step;
  }

 private:
  // Bins are closed on the right, as the cells of the grid are: s = 1/2 lies in one bin with the
  // cell that ends at f = 0.
  std::size_t entry(const Point& at) const {
    const double bin = std::ceil(at.s * static_cast<double>(n_bins_)) - 1.0;
    const double inside = std::min(std::max(bin, 0.0), static_cast<double>(n_bins_ - 1));
    return (at.slot * n_bins_ + static_cast<std::size_t>(inside)) * kActions;
  }

  double* q_;
  std::size_t n_bins_;
};

// Gaussian bumps around centers that are added where the error is large and no center is near. A
// new center takes the one-step error for its weight, and no part of the later errors of its
// episode. centers, weights : (n_slots, 3, capacity), centers sorted; counts : (n_slots, 3).
class RadialValues {
 public:
  RadialValues(double* centers, double* weights, std::int32_t* counts, std::size_t capacity,
               double sigma, bool normalized)
      : centers_(centers),
        weights_(weights),
        counts_(counts),
        capacity_(capacity),
        sigma_(sigma),
        normalized_(normalized) {}

  void values(const Point& at, double* q) const {
    for (std::size_t a = 0; a < kActions; ++a) q[a] = value(at.slot * kActions + a, at.s);
  }

  void update(const Point& at, std::size_t action, double step, double error) {
    const std::size_t function = at.slot * kActions + action;
    double* weight = weights_ + function * capacity_;
    const Near near = nearby(function, at.s);
    active_.clear();
    double total = 0, largest = 0;
    for (std::size_t c = near.begin; c < near.end; ++c) {
      active_.push_back(activation(function, c, at.s));
      total += active_.back();
      largest = std::max(largest, active_.back());
    }
    // Computed before the weights move, as by a learner that updates online.
    const bool new_center = largest < kNear && std::abs(error) > kLarge * largest_weight(function);
    const double share = normalized_ && total > 0 ? step / total : step;
    for (std::size_t c = near.begin; c < near.end; ++c)
      weight[c] += share * active_[c - near.begin];
    if (new_center) insert(function, at.s, error);
  }

 private:
  static constexpr double kReach = 5.0;  // in sigmas; exp(-12.5) = 4e-6
  static constexpr double kNear = 0.4;   // activation from which on a center is near
  static constexpr double kLarge = 0.1;  // of the largest weight

  struct Near {
    std::size_t begin, end;
  };

  Near nearby(std::size_t function, double s) const {
    const double* center = centers_ + function * capacity_;
    const double* end = center + counts_[function];
    const double* from = std::lower_bound(center, end, s - kReach * sigma_);
    const double* to = std::upper_bound(from, end, s + kReach * sigma_);
    return {static_cast<std::size_t>(from - center), static_cast<std::size_t>(to - center)};
  }

  double activation(std::size_t function, std::size_t c, double s) const {
    const double d = (s - centers_[function * capacity_ + c]) / sigma_;
    return std::exp(-0.5 * d * d);
  }

  double value(std::size_t function, double s) const {
    const double* weight = weights_ + function * capacity_;
    const Near near = nearby(function, s);
    double sum = 0, total = 0;
    for (std::size_t c = near.begin; c < near.end; ++c) {
      const double active = activation(function, c, s);
      sum += active * weight[c];
      total += active;
    }
    return normalized_ && total > 0 ? sum / total : sum;
  }

  double largest_weight(std::size_t function) const {
    const double* weight = weights_ + function * capacity_;
    double largest = 0;
    for (std::int32_t c = 0; c < counts_[function]; ++c)
      largest = std::max(largest, std::abs(weight[c]));
    return largest;
  }

  void insert(std::size_t function, double s, double weight) {
    const auto count = static_cast<std::size_t>(counts_[function]);
    if (count == capacity_) return;
    double* center = centers_ + function * capacity_;
    double* weights = weights_ + function * capacity_;
    const auto at = static_cast<std::size_t>(std::upper_bound(center, center + count, s) - center);
    std::copy_backward(center + at, center + count, center + count + 1);
    std::copy_backward(weights + at, weights + count, weights + count + 1);
    center[at] = s;
    weights[at] = weight;
    ++counts_[function];
  }

  double* centers_;
  double* weights_;
  std::int32_t* counts_;
  std::size_t capacity_;
  double sigma_;
  bool normalized_;
  std::vector<double> active_;  // of the centers near s, while updating
};

}  // namespace mddag
