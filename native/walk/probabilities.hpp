// Class probabilities of scores f (K,): 1 / (1 + exp(-a f - b)) of the second class for K = 1, else
// softmax(a f), which a common b would not change. The largest is that of the winning class,
// however close the scores are. One row has the same bits alone as in a batch: numpy's exp would
// round differently here and there, by the machine. Twin: tests/reference/serving.py.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace mddag {

inline void keep_winner(double* p, std::size_t n_classes, std::size_t winner) {
  const double* largest = std::max_element(p, p + n_classes);
  // Scores that differ by less than probabilities can show would let another class win.
  if (static_cast<std::size_t>(largest - p) != winner) p[winner] = std::nextafter(*largest, 1.0);
}

// p : (max(K, 2),).
inline void probabilities(const double* f, std::size_t K, double factor, double offset, double* p) {
  if (K == 1) {
    const double odds = factor * f[0] + offset, small = std::exp(-std::abs(odds));
    const double likely = 1.0 / (1.0 + small), unlikely = small / (1.0 + small);
    p[0] = odds <= 0 ? likely : unlikely;
    p[1] = odds >= 0 ? likely : unlikely;
    return keep_winner(p, 2, f[0] > 0);
  }
  double sum = 0;
  const std::size_t winner = static_cast<std::size_t>(std::max_element(f, f + K) - f);
  for (std::size_t k = 0; k < K; ++k) sum += p[k] = std::exp(factor * (f[k] - f[winner]));
  for (std::size_t k = 0; k < K; ++k) p[k] /= sum;
  keep_winner(p, K, winner);
}

}  // namespace mddag
