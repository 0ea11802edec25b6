// How many of some sorted numbers (cuts, thresholds, edges) lie below a value, exactly.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace mddag {

// The number of cuts < x. No step is a branch, so that the searches for several x overlap.
template <class Number>
std::size_t count_below(const Number* cuts, std::size_t n, Number x) {
  std::size_t first = 0;
  while (n > 0) {
    const std::size_t half = (n + 1) / 2;
    first += half * static_cast<std::size_t>(cuts[first + half - 1] < x);
    n -= half;
  }
  return first;
}

// The cuts of one column, with equal buckets that narrow the search: bucket(x) never falls as x
// grows, so every cut of a lower bucket is below x, and the count is exact wherever cuts lie.
class Cuts {
 public:
  Cuts(const double* cuts, std::size_t n) : cuts_(cuts) {
    const std::size_t n_buckets = 2 * n + 1;
    const double span = n > 1 ? cuts[n - 1] - cuts[0] : 0.0;
    low_ = n > 0 ? cuts[0] : 0.0;
    scale_ = static_cast<double>(n_buckets) / span;
    if (!(span > 0.0 && scale_ > 0.0 && scale_ < std::numeric_limits<double>::infinity()))
      scale_ = 0.0;
    last_ = static_cast<double>(n_buckets - 1);
    first_.assign(n_buckets + 1, 0);
    for (std::size_t c = 0; c < n; ++c) ++first_[bucket(cuts[c]) + 1];
    for (std::size_t i = 0; i < n_buckets; ++i) first_[i + 1] += first_[i];
  }

  std::size_t below(double x) const {
    const std::size_t b = bucket(x);
    return first_[b] + count_below(cuts_ + first_[b], first_[b + 1] - first_[b], x);
  }

 private:
  std::size_t bucket(double x) const {
    const double at = (x - low_) * scale_;
    return static_cast<std::size_t>(at > 0.0 ? std::min(at, last_) : 0.0);
  }

  const double* cuts_;
  double low_, scale_, last_;
  std::vector<std::uint32_t> first_;  // by bucket, the cuts of lower ones
};

}  // namespace mddag
