// From numpy arrays to the kernels' spans. Shapes and ranges were checked in Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "mddag/node.hpp"
#include "mddag/span.hpp"
#include "mddag/trees.hpp"

namespace mddag {

namespace nb = nanobind;

template <class T>
using Array = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using StridedMatrix = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;

template <class T>
Span<T> span(const Array<T>& a) {
  return {a.data(), a.shape(0)};
}

template <class T>
Rows<T> rows(const StridedMatrix<T>& X) {
  return {X.data(), X.shape(0), X.shape(1), X.stride(0), X.stride(1)};
}

// Records of NODE arrive as their bytes.
inline Span<const Node> nodes(const Array<const std::uint8_t>& bytes) {
  return {reinterpret_cast<const Node*>(bytes.data()), bytes.shape(0) / sizeof(Node)};
}

using NodeBytes = Array<const std::uint8_t>;
using Starts = Array<const std::int64_t>;
using Words = Array<const std::uint32_t>;

inline Trees trees(const NodeBytes& bytes, const Starts& starts, const Words& words,
                   const Starts& word_starts) {
  return {nodes(bytes), span(starts), span(words), span(word_starts)};
}

inline Tables tables(const Array<const double>& values, const Starts& starts,
                     const Array<const std::int32_t>& score, std::size_t n_scores) {
  return {span(values), span(starts), span(score), n_scores};
}

}  // namespace mddag
