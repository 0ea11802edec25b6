// A loss of mdp/loss.hpp with the labels of its rows, as it crosses from Python.
#pragma once

#include "bindings/arrays.hpp"
#include "mdp/loss.hpp"

namespace mddag {

// kind, scale, prices, and the labels as classes, values or shares; two of these are empty.
using LossArrays = std::tuple<int, double, Array<const double>, Array<const std::int64_t>,
                              Array<const double>, Array<const double>>;

inline LabeledLoss labeled_loss(const LossArrays& arrays, std::size_t n_scores) {
  const auto& [kind, scale, prices, classes, numbers, shares] = arrays;
  const Loss loss{static_cast<LossKind>(kind), scale, prices.data(), n_scores};
  return {loss, span(classes), span(numbers), span(shares)};
}

}  // namespace mddag
