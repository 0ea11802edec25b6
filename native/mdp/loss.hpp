// What QUIT pays, for one row: the losses of src/mddag/losses.py, which are the specification.
// A loss that is not among them is called back (CalledLoss in native/bindings/solvers.cpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "internal/span.hpp"

namespace mddag {

enum class LossKind : int { zero_one = 0, exponential = 1, logistic = 2, hinge = 3, squared = 4 };

struct Loss {
  LossKind kind;
  double scale;
  const double* prices;  // zero_one: (n_classes, n_classes), by true and predicted class
  std::size_t n_scores;

  double of_class(const double* f, std::size_t label) const {
    switch (kind) {
      case LossKind::zero_one: {
        // By multiplication: which way a branch goes could not be foreseen.
        const double price = prices[label * n_classes() + best_other(f, label)];
        return price * static_cast<double>(!(margin(f, label) > 0));
      }
      case LossKind::exponential:
        return std::exp(scale * exponent(f, label));
      case LossKind::logistic:
        return logistic(f, label);
      case LossKind::hinge:
        return std::max(0.0, 1.0 - scale * margin(f, label));
      case LossKind::squared:
        return squared(f, label);
    }
    return 0.0;
  }

  // The expectation of of_class, classes having these shares.
  double of_shares(const double* f, const double* shares) const {
    if (kind == LossKind::zero_one && n_scores > 1) return price_of_shares(f, shares);
    double expected = 0;
    for (std::size_t k = 0; k < n_classes(); ++k) expected += shares[k] * of_class(f, k);
    return expected;
  }

  // Regression: the squared loss is the only one with real labels.
  double of_value(const double* f, double label) const { return (f[0] - label) * (f[0] - label); }

  std::size_t n_classes() const { return n_scores == 1 ? 2 : n_scores; }

 private:
  // The best class decides for all but itself, so it is looked for once, not once per class.
  double price_of_shares(const double* f, const double* shares) const {
    std::size_t top = 0;
    for (std::size_t k = 1; k < n_scores; ++k)
      if (f[k] > f[top]) top = k;
    const std::size_t second = best_other(f, top);
    double expected = 0;
    for (std::size_t k = 0; k < n_scores; ++k) {
      const bool right = k == top && f[top] - f[second] > 0;
      const double price = prices[k * n_scores + (k == top ? second : top)];
      expected += shares[k] * (price * static_cast<double>(!right));
    }
    return expected;
  }

  static double sign(std::size_t label) { return 2.0 * static_cast<double>(label) - 1.0; }

  std::size_t best_other(const double* f, std::size_t label) const {
    if (n_scores == 1) return 1 - label;
    std::size_t best = label == 0 ? 1 : 0;
    for (std::size_t k = best + 1; k < n_scores; ++k)
      if (k != label && f[k] > f[best]) best = k;
    return best;
  }

  double margin(const double* f, std::size_t label) const {
    if (n_scores == 1) return sign(label) * f[0];
    return f[label] - f[best_other(f, label)];
  }

  double exponent(const double* f, std::size_t label) const {
    if (n_scores == 1) return -2.0 * sign(label) * f[0];
    double sum = 0;
    for (std::size_t k = 0; k < n_scores; ++k) sum += f[k];
    return sum - 2.0 * f[label];
  }

  double logistic(const double* f, std::size_t label) const {
    if (n_scores == 1) {
      const double z = -scale * sign(label) * f[0];
      return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z)));
    }
    const double top = *std::max_element(f, f + n_scores);
    double sum = 0;
    for (std::size_t k = 0; k < n_scores; ++k) sum += std::exp(scale * (f[k] - top));
    return std::log(sum) + scale * (top - f[label]);
  }

  double squared(const double* f, std::size_t label) const {
    if (n_scores == 1) return of_value(f, sign(label));
    double sum = 0;
    for (std::size_t k = 0; k < n_scores; ++k) {
      const double d = f[k] - (k == label ? 1.0 : -1.0);
      sum += d * d;
    }
    return sum;
  }
};

// The loss of quitting with scores f on row i, whose label is a class, a number, or a share
// per class; the two that are not used are empty.
struct LabeledLoss {
  Loss loss;
  Span<const std::int64_t> classes;
  Span<const double> values;
  Span<const double> shares;  // (n, n_classes)

  double operator()(const double* f, std::size_t i) const {
    if (classes.size > 0) return loss.of_class(f, static_cast<std::size_t>(classes[i]));
    if (values.size > 0) return loss.of_value(f, values[i]);
    return loss.of_shares(f, shares.data + i * loss.n_classes());
  }
};

}  // namespace mddag
