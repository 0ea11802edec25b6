// What the bindings of the temporal-difference learners take. See arrays.hpp.
#pragma once

#include "mddag/arrays.hpp"
#include "mddag/loss.hpp"
#include "mddag/sarsa.hpp"

namespace mddag {

// Table.native: q (n_slots x n_bins x 3, flat), n_bins.
using TableValueArrays = std::tuple<Array<double>, std::size_t>;

inline TableValues values(const TableValueArrays& arrays) {
  const auto& [q, n_bins] = arrays;
  return {q.data(), n_bins};
}

// RadialBasis.native: centres and weights (n_slots x 3, capacity), counts, sigma, normalised.
using RadialValueArrays =
    std::tuple<Matrix<double>, Matrix<double>, Array<std::int32_t>, double, bool>;

inline RadialValues values(const RadialValueArrays& arrays) {
  const auto& [centres, weights, counts, sigma, normalised] = arrays;
  return {centres.data(), weights.data(), counts.data(), centres.shape(1), sigma, normalised};
}

// beta, rate, trace_decay, off_policy, and whether EVAL, SKIP and QUIT are allowed.
using LearningArguments = std::tuple<double, double, double, bool, std::tuple<bool, bool, bool>>;

inline Learning learning(const LearningArguments& arguments) {
  const auto& [beta, rate, trace_decay, off_policy, allowed] = arguments;
  return {beta,
          rate,
          trace_decay,
          off_policy,
          {std::get<0>(allowed), std::get<1>(allowed), std::get<2>(allowed)}};
}

// kind, scale, prices, and the labels as classes, values or shares.
using LossArrays = std::tuple<int, double, Array<const double>, Array<const std::int64_t>,
                              Array<const double>, Array<const double>>;

inline LabelledLoss labelled_loss(const LossArrays& arrays, std::size_t n_scores) {
  const auto& [kind, scale, prices, classes, numbers, shares] = arrays;
  const Loss loss{static_cast<LossKind>(kind), scale, prices.data(), n_scores};
  return {loss, span(classes), span(numbers), span(shares)};
}

// A loss that has no native twin: called back with the scores, (1, K), and the instance.
struct CalledLoss {
  const nb::callable& call;
  std::size_t n_scores;

  double operator()(const double* f, std::size_t i) const {
    nb::gil_scoped_acquire locked;
    using View = nb::ndarray<nb::numpy, const double, nb::ndim<2>>;
    return nb::cast<double>(call(nb::cast(View(f, {1, n_scores}), nb::rv_policy::copy), i));
  }
};

// Instances are drawn by weight: cumulative weights, or none where all weigh the same.
struct Draw {
  std::size_t n;
  Span<const double> cumulative;

  std::size_t operator()(Random& random) const {
    if (cumulative.size == 0) return random.below(n);
    const double at = random.uniform() * cumulative[cumulative.size - 1];
    const double* end = cumulative.data + cumulative.size;
    const auto i =
        static_cast<std::size_t>(std::upper_bound(cumulative.data, end, at) - cumulative.data);
    return std::min(i, n - 1);
  }
};

}  // namespace mddag
