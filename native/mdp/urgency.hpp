// Urgency: what a document of a query may still move in a metric of its ranking.
//
//   u_i = slope * sum over other documents j of |worth_i - worth_j| * sigma_i * L(z_ij)
//   z_ij = |s_i - s_j| / sqrt(sigma_i^2 + sigma_j^2)       L(z) = E[(N(0, 1) - z)+]
//
// s are present readings of the full score, sigma their spreads, worth_i that of the position that
// i has by s now. sqrt(sigma_i^2 + sigma_j^2) * L(z) is the expected score by which the two stand
// the wrong way round; i has its own part of that. Behind the first `depth` positions all have the
// same worth, so pairs that count have a member before: depth passes. Twin:
// tests/reference/urgency.py.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "internal/span.hpp"

namespace mddag {

// L(z) for z >= 0 by a table; 0 behind its end.
class ExpectedExcess {
 public:
  static constexpr double kEnd = 6.0;

  static const ExpectedExcess& instance() {
    static const ExpectedExcess made;
    return made;
  }

  double operator()(double z) const {
    const double at = z * (kParts / kEnd);
    if (!(at < kParts)) return 0.0;
    const auto i = static_cast<std::size_t>(at);
    return values_[i] + (at - static_cast<double>(i)) * (values_[i + 1] - values_[i]);
  }

 private:
  static constexpr std::size_t kParts = 2048;

  ExpectedExcess() {
    for (std::size_t i = 0; i <= kParts; ++i) {
      const double z = kEnd * static_cast<double>(i) / kParts;
      values_[i] =
          std::exp(-z * z / 2) * 0.3989422804014327 - z * std::erfc(z * 0.7071067811865476) / 2;
    }
  }

  std::array<double, kParts + 1> values_{};
};

// A metric as worth of positions: discounts (>= 0, not rising) of the first positions, 0 behind.
// With `mean` the metric is the mean over all cuts, and every position has its discount.
struct Worth {
  Span<const double> discounts;
  bool mean;
};

// E[gain | full score], linear between knots, constant outside; at least one knot.
struct GainCurve {
  Span<const double> at, gain;

  double operator()(double score) const {
    const auto above =
        static_cast<std::size_t>(std::upper_bound(at.data, at.data + at.size, score) - at.data);
    if (above == 0) return gain[0];
    if (above == at.size) return gain[at.size - 1];
    const double low = at[above - 1], share = (score - low) / (at[above] - low);
    return gain[above - 1] + share * (gain[above] - gain[above - 1]);
  }
};

// Of the documents of one query after the other; it keeps its working memory.
class QueryUrgency {
 public:
  QueryUrgency(const Worth& worth, const GainCurve& gain, double slope)
      : worth_(worth), gain_(gain), slope_(slope), excess_(ExpectedExcess::instance()) {}

  // n documents: readings, spreads > 0, whether each is still under way; urgency of those into out
  // (0 for the others).
  void operator()(const double* reading, const double* spread, const std::uint8_t* alive,
                  std::size_t n, double* out) {
    std::fill_n(out, n, 0.0);
    if (n < 2 || std::none_of(alive, alive + n, [](std::uint8_t a) { return a != 0; })) return;
    const std::size_t depth = worth_.mean ? n : std::min(worth_.discounts.size, n);
    if (depth == 0) return;
    sort(reading, n, depth);
    weigh(n, depth);
    const double widest = *std::max_element(spread, spread + n);
    for (std::size_t r = 0; r < depth; ++r) {
      const std::size_t i = by_rank_[r].document;
      const double s = by_rank_[r].score, own = spread[i];
      const double far = ExpectedExcess::kEnd * std::sqrt(own * own + widest * widest);
      double sum = 0.0;
      for (std::size_t p = r + 1; p < n; ++p) {
        const double gap = s - by_rank_[p].score;
        if (gap >= far) {
          if (p < depth) break;  // these are sorted, and all behind are no nearer
          continue;
        }
        const std::size_t j = by_rank_[p].document;
        const double other = spread[j];
        const double part = weights_[r] - (p < depth ? weights_[p] : 0.0);
        const double x = part * excess_(gap / std::sqrt(own * own + other * other));
        sum += x;
        out[j] += x * other;
      }
      out[i] += sum * own;
    }
    for (std::size_t i = 0; i < n; ++i) out[i] = alive[i] ? slope_ * out[i] : 0.0;
  }

 private:
  struct Ranked {
    double score;
    std::size_t document;
  };

  // The first `depth` documents by falling reading, ties as they stand; the others behind them.
  void sort(const double* reading, std::size_t n, std::size_t depth) {
    constexpr double most = std::numeric_limits<double>::max();
    by_rank_.resize(n);
    for (std::size_t i = 0; i < n; ++i)  // what cannot be compared would break the sort
      by_rank_[i] = {std::isfinite(reading[i]) ? reading[i] : -most, i};
    const auto end = by_rank_.begin() + static_cast<std::ptrdiff_t>(depth);
    std::partial_sort(by_rank_.begin(), end, by_rank_.end(), [](const Ranked& a, const Ranked& b) {
      return a.score > b.score || (a.score == b.score && a.document < b.document);
    });
  }

  // What the first `depth` positions are worth, were the present order the best one.
  void weigh(std::size_t n, std::size_t depth) {
    weights_.resize(depth);
    double ideal = 0.0;
    for (std::size_t r = 0; r < depth; ++r) {
      ideal += discount(r) * gain_(by_rank_[r].score);
      weights_[r] = ideal;
    }
    if (!worth_.mean) {
      for (std::size_t r = 0; r < depth; ++r)
        weights_[r] = ideal > kLeast ? discount(r) / ideal : 0.0;
      return;
    }
    double behind = 0.0;  // sum of 1 / ideal over the cuts from r on
    for (std::size_t r = depth; r-- > 0;) {
      if (weights_[r] > kLeast) behind += 1.0 / weights_[r];
      weights_[r] = discount(r) * behind / static_cast<double>(n);
    }
  }

  double discount(std::size_t r) const {
    return worth_.discounts[std::min(r, worth_.discounts.size - 1)];
  }

  static constexpr double kLeast = 1e-9;
  const Worth worth_;
  const GainCurve gain_;
  const double slope_;
  const ExpectedExcess& excess_;
  std::vector<Ranked> by_rank_;
  std::vector<double> weights_;
};

}  // namespace mddag
