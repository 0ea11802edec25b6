// The bindings of the temporal-difference learners: episodes on any codes, value function and loss.
#pragma once

#include "bindings/arrays.hpp"
#include "mdp/loss.hpp"
#include "solvers/sarsa.hpp"

namespace mddag {

using namespace nb::literals;

// Table.start: q (n_slots x n_bins x 3, flat), n_bins.
using TableValueArrays = std::tuple<Array<double>, std::size_t>;

inline TableValues values(const TableValueArrays& arrays) {
  const auto& [q, n_bins] = arrays;
  return {q.data(), n_bins};
}

// RadialBasis.start: weights and centres (n_slots x 3, capacity), counts, sigma, normalised.
using RadialValueArrays =
    std::tuple<Matrix<double>, Matrix<double>, Array<std::int32_t>, double, bool>;

inline RadialValues values(const RadialValueArrays& arrays) {
  const auto& [weights, centres, counts, sigma, normalised] = arrays;
  return {centres.data(), weights.data(), counts.data(), centres.shape(1), sigma, normalised};
}

// tables, codes, bias, costs, cumulative weights (empty where all weigh the same).
template <class Code>
using SampleArrays = std::tuple<TableArrays, Matrix<const Code>, Array<const double>,
                                Array<const double>, Array<const double>>;

template <class Code>
Sample<CodedVotes<Code>> sample(const SampleArrays<Code>& arrays) {
  const auto& [table_arrays, codes, bias, costs, cumulative] = arrays;
  return {{tables(table_arrays), codes.data()},
          codes.shape(0),
          bias.data(),
          span(costs),
          span(cumulative)};
}

// grid, centres of its cells, norm.
using SpaceArrays = std::tuple<GridArrays, Array<const double>, Array<const double>>;

inline StateSpace state_space(const SpaceArrays& arrays) {
  const auto& [grid_arrays, centres, norm] = arrays;
  return {grid(grid_arrays), span(centres), span(norm)};
}

// Whether EVAL, SKIP and QUIT are allowed.
using Allowed = std::tuple<bool, bool, bool>;
// beta, rate, trace_decay, off_policy, allowed.
using LearningArguments = std::tuple<double, double, double, bool, Allowed>;

inline Learning learning(const LearningArguments& arguments) {
  const auto& [beta, rate, trace_decay, off_policy, allowed] = arguments;
  const auto& [eval, skip, quit] = allowed;
  return {beta, rate, trace_decay, off_policy, {eval, skip, quit}};
}

// kind, scale, prices, and the labels as classes, values or shares; two of these are empty.
using LossArrays = std::tuple<int, double, Array<const double>, Array<const std::int64_t>,
                              Array<const double>, Array<const double>>;

inline LabelledLoss labelled_loss(const LossArrays& arrays, std::size_t n_scores) {
  const auto& [kind, scale, prices, classes, numbers, shares] = arrays;
  const Loss loss{static_cast<LossKind>(kind), scale, prices.data(), n_scores};
  return {loss, span(classes), span(numbers), span(shares)};
}

// A loss that has no native twin: called with the scores, (1, K), and the instance. Its exceptions,
// Ctrl-C among them, end the episodes and reach the caller.
struct CalledLoss {
  const nb::callable& call;
  std::size_t n_scores;

  double operator()(const double* f, std::size_t i) const {
    using View = nb::ndarray<nb::numpy, const double, nb::ndim<2>>;
    return nb::cast<double>(call(nb::cast(View(f, {1, n_scores}), nb::rv_policy::copy), i));
  }
};

template <class Code, class ValueArrays>
void bind_learn_episodes(nb::module_& m) {
  const auto learn = [](const SampleArrays<Code>& sample_arrays, const SpaceArrays& space,
                        const LearningArguments& arguments, const Array<const double>& epsilon,
                        std::size_t n_episodes, const ValueArrays& value_arrays,
                        const Array<std::uint64_t>& random_state, const auto& quit_loss) {
    auto learned = values(value_arrays);
    Random random(random_state.data());
    learn_episodes(sample(sample_arrays), state_space(space), learning(arguments), span(epsilon),
                   n_episodes, learned, random, quit_loss);
  };
  m.def(
      "learn_episodes",
      [learn](const SampleArrays<Code>& sample, const SpaceArrays& space,
              const LearningArguments& learning, Array<const double> epsilon,
              std::size_t n_episodes, const ValueArrays& values, Array<std::uint64_t> random_state,
              const LossArrays& loss) {
        nb::gil_scoped_release unlocked;
        const std::size_t n_scores = std::get<2>(sample).shape(0);
        learn(sample, space, learning, epsilon, n_episodes, values, random_state,
              labelled_loss(loss, n_scores));
      },
      "sample"_a.noconvert(), "space"_a.noconvert(), "learning"_a, "epsilon"_a.noconvert(),
      "n_episodes"_a, "values"_a.noconvert(), "random_state"_a.noconvert(), "loss"_a.noconvert());
  m.def(
      "learn_episodes",
      [learn](const SampleArrays<Code>& sample, const SpaceArrays& space,
              const LearningArguments& learning, Array<const double> epsilon,
              std::size_t n_episodes, const ValueArrays& values, Array<std::uint64_t> random_state,
              const nb::callable& loss) {
        const std::size_t n_scores = std::get<2>(sample).shape(0);
        learn(sample, space, learning, epsilon, n_episodes, values, random_state,
              CalledLoss{loss, n_scores});
      },
      "sample"_a.noconvert(), "space"_a.noconvert(), "learning"_a, "epsilon"_a.noconvert(),
      "n_episodes"_a, "values"_a.noconvert(), "random_state"_a.noconvert(), "loss"_a);
}

template <class ValueArrays>
void bind_values(nb::module_& m) {
  bind_learn_episodes<std::uint8_t, ValueArrays>(m);
  bind_learn_episodes<std::uint16_t, ValueArrays>(m);
  bind_learn_episodes<std::uint32_t, ValueArrays>(m);
  m.def(
      "tabulate",
      [](const ValueArrays& value_arrays, const SpaceArrays& space, const Allowed& allowed,
         Matrix<std::uint8_t> out) {
        nb::gil_scoped_release unlocked;
        const auto& [eval, skip, quit] = allowed;
        const bool choices[] = {eval, skip, quit};
        tabulate(values(value_arrays), state_space(space), choices, out.data());
      },
      "values"_a.noconvert(), "space"_a.noconvert(), "allowed"_a, "out"_a.noconvert());
}

inline void bind_sarsa(nb::module_& m) {
  bind_values<TableValueArrays>(m);
  bind_values<RadialValueArrays>(m);
  m.def(
      "losses",
      [](const LossArrays& loss, Matrix<const double> scores, Array<double> out) {
        nb::gil_scoped_release unlocked;
        const LabelledLoss quit_loss = labelled_loss(loss, scores.shape(1));
        for (std::size_t i = 0; i < out.shape(0); ++i)
          out.data()[i] = quit_loss(scores.data() + i * scores.shape(1), i);
      },
      "loss"_a.noconvert(), "scores"_a.noconvert(), "out"_a.noconvert());
}

}  // namespace mddag
