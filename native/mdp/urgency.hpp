// Urgency: what a document of a query may still move in a metric of its ranking.
//
//   u_i = slope * sum over other documents j of |worth_i - worth_j| * sigma_i * L(z_ij)
//   z_ij = |s_i - s_j| / sqrt(sigma_i^2 + sigma_j^2)       L(z) = E[(N(0, 1) - z)+]
//
// s are present readings of the full score, sigma their spreads, worth_i that of the position that
// i has by s now. sqrt(sigma_i^2 + sigma_j^2) * L(z) is the expected score by which the two stand
// the wrong way round; i has its own part of that. Behind the first `depth` positions all have the
// same worth, so pairs that count have a member before: depth passes. Twin:
// tests/reference/ranking.py.
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

// Numbers up to `quit` are all decided alike, and so are those above `go`.
struct Decided {
  double quit, go;
};

constexpr Decided kUndecided{-std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::infinity()};

// Of the documents of one query after the other; it keeps its working memory.
class QueryUrgency {
 public:
  QueryUrgency(const Worth& worth, const GainCurve& gain, double slope)
      : worth_(worth), gain_(gain), slope_(slope), excess_(ExpectedExcess::instance()) {}

  // n documents: readings, spreads > 0, whether each is still under way; urgency of those into out
  // (0 for the others). Where a number is known to be at most decided.quit, or above decided.go,
  // out may have another one of which the same is true: sums end early.
  void operator()(const double* reading, const double* spread, const std::uint8_t* alive,
                  std::size_t n, double* out, Decided decided = kUndecided) {
    std::fill_n(out, n, 0.0);
    const std::size_t depth = worth_.mean ? n : std::min(worth_.discounts.size, n);
    if (n < 2 || depth == 0) return;
    sort(reading, n, depth);
    weigh(n, depth);
    rank_.assign(n, depth);
    double widest = 0.0, all = 0.0;  // spread and worth of the first
    for (std::size_t r = 0; r < depth; ++r) {
      rank_[top_[r].document] = r;
      widest = std::max(widest, spread[top_[r].document]);
      all += weights_[r];
    }
    const double last = top_[depth - 1].score;
    for (std::size_t i = 0; i < n; ++i) {
      if (!alive[i]) continue;
      const double unit = slope_ * spread[i];
      if (rank_[i] < depth) {
        out[i] = unit * of_first(rank_[i], reading, spread, n, depth, decided.go / unit);
        continue;
      }
      // Of what all the first documents are worth, no more than if they were as near as the last.
      const double square = spread[i] * spread[i] + widest * widest;
      const double most = unit * all * excess_((last - score(reading[i])) / std::sqrt(square));
      out[i] = most * kSlack <= decided.quit ? most
                                             : unit * of_other(score(reading[i]), spread, spread[i],
                                                               depth, decided.go / unit);
    }
  }

 private:
  struct Ranked {
    double score;
    std::size_t document;
  };

  // What cannot be compared would break the sort.
  static double score(double reading) {
    return std::isfinite(reading) ? reading : -std::numeric_limits<double>::max();
  }

  // The first `depth` documents by falling reading, ties as they stand.
  void sort(const double* reading, std::size_t n, std::size_t depth) {
    top_.clear();
    if (depth > kFew) {
      for (std::size_t i = 0; i < n; ++i) top_.push_back({score(reading[i]), i});
      const auto end = top_.begin() + static_cast<std::ptrdiff_t>(depth);
      std::partial_sort(top_.begin(), end, top_.end(), [](const Ranked& a, const Ranked& b) {
        return a.score > b.score || (a.score == b.score && a.document < b.document);
      });
      top_.resize(depth);
      return;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double s = score(reading[i]);
      if (top_.size() == depth && !(s > top_.back().score)) continue;
      if (top_.size() < depth) top_.push_back({});
      std::size_t r = top_.size() - 1;
      for (; r > 0 && s > top_[r - 1].score; --r) top_[r] = top_[r - 1];
      top_[r] = {s, i};
    }
  }

  // What the first `depth` positions are worth, were the present order the best one.
  void weigh(std::size_t n, std::size_t depth) {
    weights_.resize(depth);
    double ideal = 0.0;
    for (std::size_t r = 0; r < depth; ++r) {
      ideal += discount(r) * gain_(top_[r].score);
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

  // L of a pair; far ones without a root.
  double excess(double gap, double own, double other) const {
    const double square = own * own + other * other;
    if (gap * gap >= ExpectedExcess::kEnd * ExpectedExcess::kEnd * square) return 0.0;
    return excess_(gap / std::sqrt(square));
  }

  // The sum of a document at rank r of the first: over these, then over all others.
  double of_first(std::size_t r, const double* reading, const double* spread, std::size_t n,
                  std::size_t depth, double enough) const {
    const double s = top_[r].score, own = spread[top_[r].document];
    double sum = 0.0;
    for (std::size_t p = 0; p < depth; ++p)
      sum += std::abs(weights_[r] - weights_[p]) *
             excess(std::abs(s - top_[p].score), own, spread[top_[p].document]);
    if (depth == n) return sum;
    double rest = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
      if (rank_[j] < depth) continue;
      rest += excess(s - score(reading[j]), own, spread[j]);
      if (sum + weights_[r] * rest > enough) break;
    }
    return sum + weights_[r] * rest;
  }

  // The sum of a document behind the first: over these, the nearest before the others.
  double of_other(double s, const double* spread, double own, std::size_t depth,
                  double enough) const {
    double sum = 0.0;
    for (std::size_t r = depth; r-- > 0;) {
      sum += weights_[r] * excess(top_[r].score - s, own, spread[top_[r].document]);
      if (sum > enough) break;
    }
    return sum;
  }

  double discount(std::size_t r) const {
    return worth_.discounts[std::min(r, worth_.discounts.size - 1)];
  }

  static constexpr double kLeast = 1e-9, kSlack = 1.0 + 1e-9;
  static constexpr std::size_t kFew = 64;
  const Worth worth_;
  const GainCurve gain_;
  const double slope_;
  const ExpectedExcess& excess_;
  std::vector<Ranked> top_;
  std::vector<double> weights_;
  std::vector<std::size_t> rank_;  // by document; depth for those behind the first
};

}  // namespace mddag
