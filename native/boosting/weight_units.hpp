// Weights as integers in units of 2^-60, so that every sum of them is exact.
#pragma once

#include <cstdint>

namespace mddag {

// llround(w 2^60) for w in 0..1, without its call. The fraction is exact: from 2^53 on there is
// none, and below, a double less its whole part is a double.
inline std::int64_t in_units(double w) {
  const double scaled = w * 0x1p60;
  const auto whole = static_cast<std::int64_t>(scaled);
  return whole + (scaled - static_cast<double>(whole) >= 0.5);
}

}  // namespace mddag
