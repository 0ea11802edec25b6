// The bindings of native/solvers: episodes of SARSA and sweeps of the descent, on any codes, with a
// loss that is native or called back.
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "bindings/loss.hpp"
#include "mdp/coded_votes.hpp"
#include "solvers/descent.hpp"
#include "solvers/sarsa.hpp"

namespace mddag {

using namespace nb::literals;

namespace {

// Table.start: q (n_slots x n_bins x 3, flat), n_bins.
using TableValueArrays = std::tuple<Array<double>, std::size_t>;

TableValues values(const TableValueArrays& arrays) {
  const auto& [q, n_bins] = arrays;
  return {q.data(), n_bins};
}

// RadialBasis.start: weights and centers (n_slots x 3, capacity), counts, sigma, normalized.
using RadialValueArrays =
    std::tuple<Matrix<double>, Matrix<double>, Array<std::int32_t>, double, bool>;

RadialValues values(const RadialValueArrays& arrays) {
  const auto& [weights, centers, counts, sigma, normalized] = arrays;
  return {centers.data(), weights.data(), counts.data(), centers.shape(1), sigma, normalized};
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

// grid, centers of its cells, norm.
using SpaceArrays = std::tuple<GridArrays, Array<const double>, Array<const double>>;

StateSpace<ScoreState<std::size_t>> score_space(const SpaceArrays& arrays) {
  const auto& [grid_arrays, centers, norm] = arrays;
  return {score_state(grid_arrays), span(centers), span(norm)};
}

// Whether EVAL, SKIP and QUIT are allowed.
using Allowed = std::tuple<bool, bool, bool>;
// beta, rate, trace_decay, off_policy, allowed.
using LearningArguments = std::tuple<double, double, double, bool, Allowed>;

Learning learning(const LearningArguments& arguments) {
  const auto& [beta, rate, trace_decay, off_policy, allowed] = arguments;
  const auto& [eval, skip, quit] = allowed;
  return {beta, rate, trace_decay, off_policy, {eval, skip, quit}};
}

// A loss that has no native twin: called with the scores, (1, K), and the row. Its exceptions,
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
    const auto rows = sample(sample_arrays);
    learn_episodes(rows, score_space(space), learning(arguments), span(epsilon), n_episodes,
                   learned, random, quit_loss);
  };
  m.def(
      "learn_episodes",
      [learn](const SampleArrays<Code>& sample, const SpaceArrays& space,
              const LearningArguments& learning, Array<const double> epsilon,
              std::size_t n_episodes, const ValueArrays& values, Array<std::uint64_t> random_state,
              const LossArrays& loss) {
        Unlocked unlocked;
        const std::size_t n_scores = std::get<2>(sample).shape(0);
        learn(sample, space, learning, epsilon, n_episodes, values, random_state,
              labeled_loss(loss, n_scores));
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
        Unlocked unlocked;
        const auto& [eval, skip, quit] = allowed;
        const bool choices[] = {eval, skip, quit};
        tabulate(values(value_arrays), score_space(space), choices, out.data());
      },
      "values"_a.noconvert(), "space"_a.noconvert(), "allowed"_a, "out"_a.noconvert());
}

// tables, codes, rows, bias, costs, weight.
template <class Code>
using DescentSampleArrays =
    std::tuple<TableArrays, Matrix<const Code>, Array<const std::int64_t>, Array<const double>,
               Array<const double>, Array<const double>>;
// beta, every, allowed.
using DescentArguments = std::tuple<double, std::size_t, Allowed>;
// most groups per row, least rows per group, z of SKIP, z of QUIT.
using GuardArguments = std::tuple<std::size_t, std::size_t, double, double>;

template <class Votes, class State, class Code>
DescentProblem<Votes, State> descent_problem(const DescentSampleArrays<Code>& sample,
                                             const State& state,
                                             const DescentArguments& arguments) {
  const auto& [table_arrays, codes, rows, bias, costs, weight] = sample;
  const auto& [beta, every, allowed] = arguments;
  const auto& [eval, skip, quit] = allowed;
  return {{tables(table_arrays), codes.data()},
          state,
          span(rows),
          span(bias),
          span(costs),
          span(weight),
          beta,
          every,
          {eval, skip, quit}};
}

Guards guards(const GuardArguments& arguments) {
  const auto& [most, least, z_skip, z_quit] = arguments;
  return {{most, least}, z_skip, z_quit};
}

// The losses of mdp/loss.hpp; width is that of the state, whose scores come first.
struct NativeLosses {
  LabeledLoss loss;
  std::size_t width;

  void operator()(const double* carried, const std::int64_t* rows, std::size_t n,
                  double* out) const {
    for (std::size_t s = 0; s < n; ++s)
      out[s] = loss(carried + s * width, static_cast<std::size_t>(rows[s]));
  }
  static std::size_t block(std::size_t) { return 256; }
};

// A loss that has no native twin: called with scores (n, K) and rows (n,), all of a decision
// at once and on the caller's thread. width is that of the state, whose scores come first.
struct CalledLosses {
  const nb::callable& call;
  std::size_t n_scores;
  std::size_t width;

  void operator()(const double* carried, const std::int64_t* rows, std::size_t n,
                  double* out) const {
    std::vector<double> packed;
    const double* scores = carried;
    if (width != n_scores) {
      for (std::size_t s = 0; s < n; ++s)
        packed.insert(packed.end(), carried + s * width, carried + s * width + n_scores);
      scores = packed.data();
    }
    using Scores = nb::ndarray<nb::numpy, const double, nb::ndim<2>>;
    using Rows = nb::ndarray<nb::numpy, const std::int64_t, nb::ndim<1>>;
    const auto losses = nb::cast<Array<const double>>(
        call(nb::cast(Scores(scores, {n, n_scores}), nb::rv_policy::copy),
             nb::cast(Rows(rows, {n}), nb::rv_policy::copy)));
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
        Unlocked unlocked;
        const ScoreState<std::size_t> state = score_state(grid_arrays);
        const auto sweep = [&](const auto& problem) {
          const NativeLosses losses{labeled_loss(loss, state.n_scores), problem.state.width()};
          return Sweep(problem, guards(guard), losses, n_threads, actions.data()).run();
        };
        if (!are_single(tables(std::get<0>(sample))))
          return sweep(descent_problem<CodedVotes<Code>>(sample, state, arguments));
        const ScoreState<OneScore> one_score{state.grid, {}};
        return sweep(descent_problem<SingleVotes<Code>>(sample, one_score, arguments));
      },
      "sample"_a.noconvert(), "grid"_a.noconvert(), "arguments"_a, "guards"_a, "loss"_a.noconvert(),
      "actions"_a.noconvert(), "n_threads"_a);
  m.def(
      "descend",
      [](const DescentSampleArrays<Code>& sample, const GridArrays& grid_arrays,
         const DescentArguments& arguments, const GuardArguments& guard, const nb::callable& loss,
         Matrix<std::uint8_t> actions, int) {
        const ScoreState<std::size_t> state = score_state(grid_arrays);
        const auto sweep = [&](const auto& problem) {
          const CalledLosses losses{loss, state.n_scores, problem.state.width()};
          return Sweep(problem, guards(guard), losses, 1, actions.data()).run();
        };
        return sweep(descent_problem<CodedVotes<Code>>(sample, state, arguments));
      },
      "sample"_a.noconvert(), "grid"_a.noconvert(), "arguments"_a, "guards"_a, "loss"_a,
      "actions"_a.noconvert(), "n_threads"_a);
}

}  // namespace

void bind_solvers(nb::module_& m) {
  bind_values<TableValueArrays>(m);
  bind_values<RadialValueArrays>(m);
  bind_sweep<std::uint8_t>(m);
  bind_sweep<std::uint16_t>(m);
  bind_sweep<std::uint32_t>(m);
}

}  // namespace mddag
