// Thresholds in the type of the rows.
#pragma once

#include <cmath>
#include <limits>

namespace mddag {

// The largest T that is not above t: for rows of T, x <= t is x <= rounded_down<T>(t).
template <class T>
T rounded_down(double t) {
  const T nearest = static_cast<T>(t);
  return static_cast<double>(nearest) > t
             ? std::nextafter(nearest, -std::numeric_limits<T>::infinity())
             : nearest;
}

}  // namespace mddag
