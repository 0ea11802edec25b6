// The edges that cut a line into cells: number -> cell, the number of edges below it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "internal/span.hpp"

namespace mddag {

struct Grid {
  static constexpr std::size_t kCrowded = 16;  // edges of a bucket

  Span<const double> edges;
  Span<const std::int32_t> first;  // bucket b holds edges first[b] .. first[b + 1]
  double low;
  double scale;

  std::size_t n_cells() const { return edges.size + 1; }

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
      return static_cast<std::int32_t>(std::lower_bound(edges.data + c, edges.data + end, s) -
                                       edges.data);
    if (end - c > 1)
      while (c < end && edges[c] < s) ++c;
    else  // no branch for the one edge, or none: it would be foreseen wrongly every so often
      c += static_cast<std::size_t>(end > c && edges[end - 1] < s);
    return static_cast<std::int32_t>(c);
  }
};

}  // namespace mddag
