// A second state, to show that kernels know a state by the members that mdp/state.hpp lists. Two
// stages have a score column each: step j reads and adds to column reads[j], so the cell of a row
// changes between steps even where it skips, and chains of SKIP do not fold. Policies and votes are
// random; rollouts and sweeps must agree with Eqs. (1)-(3), one action at a time.
#include "mdp/state.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "mdp/action.hpp"
#include "mdp/jump_table.hpp"
#include "mdp/rollout.hpp"
#include "solvers/descent.hpp"
#include "solvers/random.hpp"

namespace {

using mddag::Span;

constexpr std::size_t kSteps = 12, kRows = 600, kColumns = 2;

struct StageState {
  static constexpr bool kFolds = false;

  mddag::Grid grid;
  const std::size_t* reads;  // (N + 1,)

  std::size_t width() const { return kColumns; }
  std::size_t n_parts() const { return 1; }
  std::size_t n_cells() const { return grid.n_cells(); }
  void start(const double* bias, std::size_t n, double* f) const {
    for (std::size_t i = 0; i < n * kColumns; ++i) f[i] = *bias;
  }
  mddag::CellOfPart locate(std::size_t j, const double* f) const { return {0, cell(j, f)}; }
  std::size_t cell(std::size_t j, const double* f) const {
    return static_cast<std::size_t>(grid.below(f[reads[j]]));
  }
  template <class Votes>
  void add(const Votes& votes, std::size_t i, std::size_t j, std::size_t h, double* f) const {
    f[reads[j]] += votes.of(i, h);
  }
};

struct DenseVotes {
  std::vector<double> votes;  // (n, N)
  double of(std::size_t i, std::size_t h) const { return votes[i * kSteps + h]; }
};

// Any function of what is carried at the end.
struct Losses {
  static double of(const double* f) { return std::abs(f[0] - 2.0 * f[1]); }
  void operator()(const double* f, const std::int64_t*, std::size_t n, double* out) const {
    for (std::size_t s = 0; s < n; ++s) out[s] = of(f + s * kColumns);
  }
  static std::size_t block(std::size_t) { return mddag::kBlock; }
};

struct Case {
  std::vector<double> edges{-1.0, -0.3, 0.2, 0.9};
  std::vector<std::int32_t> first{0, 4};  // one bucket
  std::vector<std::size_t> reads;
  std::vector<std::uint8_t> actions;  // (n_decisions, n_cells)
  std::vector<double> costs;
  DenseVotes votes;
  std::size_t every;
  StageState state;

  Case(std::uint64_t seed, std::size_t every_steps) : every(every_steps) {
    std::uint64_t words[] = {seed, 2, 3, 4};
    mddag::Random random(words);
    for (std::size_t j = 0; j <= kSteps; ++j) reads.push_back(random.below(kColumns));
    for (std::size_t j = 0; j < kSteps; ++j) costs.push_back(1.0 + random.uniform());
    for (std::size_t u = 0; u < kRows * kSteps; ++u) votes.votes.push_back(random.uniform() - 0.5);
    for (std::size_t u = 0; u < n_decisions() * (edges.size() + 1); ++u)
      actions.push_back(static_cast<std::uint8_t>(random.uniform() < 0.1 ? 2 : random.below(2)));
    state = {{{edges.data(), edges.size()}, {first.data(), first.size()}, 0, 0}, reads.data()};
  }

  std::size_t n_decisions() const { return (kSteps + every - 1) / every; }
  std::size_t action(std::size_t j, std::size_t cell) const {
    return actions[j / every * state.n_cells() + cell];
  }

  // Row i, one action at a time; returns its cost.
  double follow(std::size_t i, double* f) const {
    const double bias = 0.1;
    double cost = 0;
    std::size_t action_here = mddag::kEval;
    state.start(&bias, 1, f);
    for (std::size_t j = 0; j < kSteps; ++j) {
      if (j % every == 0) action_here = action(j, state.cell(j, f));
      if (action_here == mddag::kQuit) break;
      if (action_here == mddag::kSkip) continue;
      state.add(votes, i, j, j, f);
      cost += costs[j];
    }
    return cost;
  }

  // Policy.native, where SKIP leads to the next decision.
  std::vector<std::int32_t> next() const {
    std::vector<std::int32_t> table;
    for (std::size_t j = 0; j <= kSteps; ++j)
      for (std::size_t c = 0; c < state.n_cells(); ++c) {
        const bool decides = j % every == 0 && j < kSteps;
        const std::size_t here = decides ? action(j, c) : mddag::kEval;
        const std::size_t skipped = j + every < kSteps ? j + every : kSteps;
        const std::size_t to = here == mddag::kEval ? j : here == mddag::kSkip ? skipped : kSteps;
        table.push_back(static_cast<std::int32_t>(to));
      }
    return table;
  }
};

int n_wrong_of_rollout(const Case& test) {
  const std::vector<std::int32_t> next = test.next();
  std::vector<std::int64_t> order;
  for (std::size_t j = 0; j < kSteps; ++j) order.push_back(static_cast<std::int64_t>(j));
  const mddag::JumpTable jump{{next.data(), next.size()}, {order.data(), order.size()}};
  std::vector<double> carried(kRows * kColumns), cost(kRows, 0.0);
  std::vector<std::int32_t> n_evaluated(kRows, 0), exit_step(kRows, 0);
  const double bias = 0.1;
  test.state.start(&bias, kRows, carried.data());
  mddag::rollout(test.votes, test.state, jump, {test.costs.data(), kSteps}, kRows, carried.data(),
                 n_evaluated.data(), exit_step.data(), cost.data(), 1);
  int n_wrong = 0;
  for (std::size_t i = 0; i < kRows; ++i) {
    double f[kColumns];
    const double wanted = test.follow(i, f);
    const double* got = &carried[i * kColumns];
    n_wrong += cost[i] != wanted || got[0] != f[0] || got[1] != f[1];
  }
  return n_wrong;
}

// Whether a sweep lowers Eq. (8), and returns what the improved policy pays.
int n_wrong_of_sweep(Case test) {
  const double beta = 0.05, bias = 0.1;
  std::vector<std::int64_t> instances;
  const std::vector<double> weight(kRows, 1.0);
  for (std::size_t i = 0; i < kRows; ++i) instances.push_back(static_cast<std::int64_t>(i));
  const auto mean = [&] {
    double sum = 0, f[kColumns];
    for (std::size_t i = 0; i < kRows; ++i) {
      const double cost = test.follow(i, f);
      sum += Losses::of(f) + beta * cost;
    }
    return sum / kRows;
  };
  const double before = mean();
  const mddag::DescentProblem<DenseVotes, StageState> problem{test.votes,
                                                              test.state,
                                                              {instances.data(), kRows},
                                                              {&bias, 1},
                                                              {test.costs.data(), kSteps},
                                                              {weight.data(), kRows},
                                                              beta,
                                                              test.every,
                                                              {true, true, true}};
  const mddag::Guards guards{{0, 1}, 0.0, 0.0};
  const double got = mddag::Sweep(problem, guards, Losses{}, 1, test.actions.data()).run();
  return !(got <= before) + !(std::abs(got - mean()) < 1e-9);
}

}  // namespace

int main() {
  int n_wrong = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    for (const std::size_t every : {1, 3}) {
      const Case test(seed, every);
      n_wrong += n_wrong_of_rollout(test) + n_wrong_of_sweep(test);
    }
  std::printf("%d\n", n_wrong);
  return n_wrong > 0;
}
