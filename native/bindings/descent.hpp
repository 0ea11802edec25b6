// The binding of the descent: one sweep on any codes, with a loss that is native or called back.
#pragma once

#include "bindings/arrays.hpp"
#include "bindings/sarsa.hpp"
#include "solvers/descent.hpp"

namespace mddag {

using namespace nb::literals;

// tables, codes, instances, bias, costs, weight.
template <class Code>
using DescentSampleArrays =
    std::tuple<TableArrays, Matrix<const Code>, Array<const std::int64_t>, Array<const double>,
               Array<const double>, Array<const double>>;
// beta, every, allowed.
using DescentArguments = std::tuple<double, std::size_t, Allowed>;
// most groups per row, least instances per group, z of SKIP, z of QUIT.
using GuardArguments = std::tuple<std::size_t, std::size_t, double, double>;

template <class Votes, class Code>
DescentProblem<Votes> descent_problem(const DescentSampleArrays<Code>& sample,
                                      const GridArrays& grid_arrays,
                                      const DescentArguments& arguments) {
  const auto& [table_arrays, codes, instances, bias, costs, weight] = sample;
  const auto& [beta, every, allowed] = arguments;
  const auto& [eval, skip, quit] = allowed;
  return {{tables(table_arrays), codes.data()},
          grid(grid_arrays),
          span(instances),
          span(bias),
          span(costs),
          span(weight),
          beta,
          every,
          {eval, skip, quit}};
}

inline Guards guards(const GuardArguments& arguments) {
  const auto& [most, least, z_skip, z_quit] = arguments;
  return {{most, least}, z_skip, z_quit};
}

// Whether every base classifier is one tree that votes for the one score there is.
inline bool one_score_and_tree(const Tables& tables) {
  for (std::size_t j = 0; j < tables.rounds.size; ++j)
    if (tables.rounds[j] != static_cast<std::int64_t>(j)) return false;
  return tables.n_scores == 1;
}

struct NativeLosses {
  LabelledLoss loss;

  void operator()(const double* scores, const std::int64_t* instances, std::size_t n,
                  double* out) const {
    for (std::size_t s = 0; s < n; ++s)
      out[s] = loss(scores + s * loss.loss.n_scores, static_cast<std::size_t>(instances[s]));
  }
  static std::size_t block(std::size_t) { return kBlock; }
};

// A loss that has no native twin: called with scores (n, K) and instances (n,), all of a decision
// at once and on the caller's thread.
struct CalledLosses {
  const nb::callable& call;
  std::size_t n_scores;

  void operator()(const double* scores, const std::int64_t* instances, std::size_t n,
                  double* out) const {
    using Scores = nb::ndarray<nb::numpy, const double, nb::ndim<2>>;
    using Who = nb::ndarray<nb::numpy, const std::int64_t, nb::ndim<1>>;
    const auto losses = nb::cast<Array<const double>>(
        call(nb::cast(Scores(scores, {n, n_scores}), nb::rv_policy::copy),
             nb::cast(Who(instances, {n}), nb::rv_policy::copy)));
    std::copy(losses.data(), losses.data() + n, out);
  }
  static std::size_t block(std::size_t n) { return std::max<std::size_t>(n, 1); }
};

template <class Code>
void bind_sweep(nb::module_& m) {
  m.def(
      "descend",
      [](const DescentSampleArrays<Code>& sample, const GridArrays& grid_arrays,
         const DescentArguments& arguments, const GuardArguments& guard, const LossArrays& loss,
         Matrix<std::uint8_t> actions, int n_threads) {
        nb::gil_scoped_release unlocked;
        const auto sweep = [&](const auto& problem) {
          const NativeLosses losses{labelled_loss(loss, problem.grid.n_scores)};
          return Sweep(problem, guards(guard), losses, n_threads, actions.data()).run();
        };
        if (one_score_and_tree(tables(std::get<0>(sample))))
          return sweep(descent_problem<SingleVotes<Code>>(sample, grid_arrays, arguments));
        return sweep(descent_problem<CodedVotes<Code>>(sample, grid_arrays, arguments));
      },
      "sample"_a.noconvert(), "grid"_a.noconvert(), "arguments"_a, "guards"_a, "loss"_a.noconvert(),
      "actions"_a.noconvert(), "n_threads"_a);
  m.def(
      "descend",
      [](const DescentSampleArrays<Code>& sample, const GridArrays& grid_arrays,
         const DescentArguments& arguments, const GuardArguments& guard, const nb::callable& loss,
         Matrix<std::uint8_t> actions, int) {
        const auto problem = descent_problem<CodedVotes<Code>>(sample, grid_arrays, arguments);
        const CalledLosses losses{loss, problem.grid.n_scores};
        return Sweep(problem, guards(guard), losses, 1, actions.data()).run();
      },
      "sample"_a.noconvert(), "grid"_a.noconvert(), "arguments"_a, "guards"_a, "loss"_a,
      "actions"_a.noconvert(), "n_threads"_a);
}

inline void bind_descent(nb::module_& m) {
  bind_sweep<std::uint8_t>(m);
  bind_sweep<std::uint16_t>(m);
  bind_sweep<std::uint32_t>(m);
}

}  // namespace mddag
