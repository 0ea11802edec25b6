// Score vector -> cell: the number of edges below the score (K = 1), or the top class and the
// number of edges below the margin between the two best scores. Twin: tests/reference/grid.py.
#pragma once

#include <algorithm>
#include <cstdint>

#include "internal/span.hpp"
#include "mdp/top_two.hpp"

namespace mddag {

struct Grid {
  static constexpr std::size_t kCrowded = 16;  // edges of a bucket

  Span<const double> edges;
  Span<const std::int32_t> first;  // bucket b holds edges first[b] .. first[b + 1]
  double low;
  double scale;
  std::size_t n_scores;

  std::int32_t row_cells() const { return static_cast<std::int32_t>(edges.size) + 1; }
  std::int32_t n_cells() const { return row_cells() * static_cast<std::int32_t>(n_scores); }

  // Buckets are monotone in s: every edge of a lower bucket is below s and none of a higher one is,
  // so the count is exact. Counting on is fastest where a bucket holds few edges; where an outlier
  // squeezes most of them into one bucket, bisection keeps it from being slow. NaN has none below.
  std::int32_t below(double s) const {
    const double at = (s - low) * scale;
    const auto last = static_cast<double>(first.size - 2);
    const auto bucket = static_cast<std::size_t>(at > 0 ? (at < last ? at : last) : 0);
    auto c = static_cast<std::size_t>(first[bucket]);
    const auto end = static_cast<std::size_t>(first[bucket + 1]);
    if (end - c > kCrowded)
      c = static_cast<std::size_t>(std::lower_bound(edges.data + c, edges.data + end, s) -
                                   edges.data);
    else
      while (c < edges.size && edges[c] < s) ++c;
    return static_cast<std::int32_t>(c);
  }

  std::int32_t cell(const double* f) const {
    if (n_scores == 1) return below(f[0]);
    const auto top = top_two<double>(f, n_scores);
    return static_cast<std::int32_t>(top.which) * row_cells() + below(top.margin);
  }
};

inline void cells(const Grid& grid, const double* scores, std::size_t n, std::int32_t* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = grid.cell(scores + i * grid.n_scores);
}

}  // namespace mddag
