// A pointer and a length: how arrays reach the kernels.
#pragma once

#include <cstddef>

namespace mddag {

template <class T>
struct Span {
  T* data;
  std::size_t size;

  T& operator[](std::size_t i) const { return data[i]; }
};

// Rows of X with any two strides, counted in elements: C- and F-ordered arrays and views alike.
template <class T>
struct Rows {
  const T* data;
  std::size_t n_rows;
  std::size_t n_features;
  std::ptrdiff_t row_stride;
  std::ptrdiff_t feature_stride;

  T at(std::size_t i, std::size_t feature) const {
    return data[static_cast<std::ptrdiff_t>(i) * row_stride +
                static_cast<std::ptrdiff_t>(feature) * feature_stride];
  }
};

}  // namespace mddag
