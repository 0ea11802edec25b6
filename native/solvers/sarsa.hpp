// Episodes of SARSA(lambda) and Watkins' Q(lambda) with replacing traces. j only grows, so that no
// state is visited twice in an episode and no error depends on an update of the same episode: the
// online algorithm equals rolling out, then sweeping back once over the recorded steps, without a
// trace array. Twin: tests/reference/sarsa.py, which is the online algorithm.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "internal/span.hpp"
#include "mdp/action.hpp"
#include "mdp/state.hpp"
#include "solvers/random.hpp"
#include "solvers/values.hpp"

namespace mddag {

struct Learning {
  double beta;
  double rate;
  double trace_decay;
  bool off_policy;  // Watkins' Q(lambda)
  bool allowed[kActions];
};

// Where a value function is read in the state of Eq. (4): at the center of the cell, over the
// largest |f| that counts at step j, mapped to [0, 1]. Learning reads centers of cells alone, so
// the greedy policy that it follows is exactly the one that is tabulated.
template <class State>
struct StateSpace {
  State state;
  Span<const double> centers;  // of the cells of one part
  Span<const double> norm;     // (N,), positive

  Point at(std::size_t j, const double* f) const {
    const CellOfPart here = state.locate(j, f);
    return in_cell(j, here.part, here.cell);
  }

  // A score lies on both sides of 0, a margin on one.
  Point in_cell(std::size_t j, std::size_t part, std::size_t cell) const {
    const double share = centers[cell] / norm[j];
    const double s = state.n_scores == 1 ? 0.5 * (share + 1.0) : 0.5 * share;
    return {j * state.n_parts() + part, std::min(std::max(s, 0.0), 1.0)};
  }
};

// The training rows. They are drawn by weight: cumulative weights, or none where all weigh
// the same.
template <class Votes>
struct Sample {
  Votes votes;
  std::size_t n;
  const double* bias;
  Span<const double> costs;
  Span<const double> cumulative;

  std::size_t draw(Random& random) const {
    if (cumulative.size == 0) return random.below(n);
    const double* end = cumulative.data + cumulative.size;
    const double* at = std::upper_bound(cumulative.data, end, random.uniform() * end[-1]);
    return std::min(static_cast<std::size_t>(at - cumulative.data), n - 1);
  }
};

// Ties go to QUIT, then SKIP, then EVAL.
inline std::size_t greedy_action(const double* q, const bool* allowed) {
  std::size_t best = kActions;
  for (const std::size_t a : {kQuit, kSkip, kEval})
    if (allowed[a] && (best == kActions || q[a] > q[best])) best = a;
  return best;
}

inline std::size_t random_action(Random& random, const bool* allowed) {
  std::size_t choices[kActions], n = 0;
  for (std::size_t a = 0; a < kActions; ++a)
    if (allowed[a]) choices[n++] = a;
  return choices[random.below(n)];
}

struct Visit {
  Point at;
  std::size_t action;
  double reward;
  double q;       // of the action taken
  double q_best;  // of the greedy action
};

// One epsilon-greedy episode of row i; f is what it carries, from the start to the end.
template <class Votes, class State, class Values>
void roll_out(const Sample<Votes>& sample, std::size_t i, const StateSpace<State>& space,
              const Learning& learning, Span<const double> epsilon, const Values& values,
              Random& random, double* f, std::vector<Visit>& episode) {
  episode.clear();
  for (std::size_t j = 0; j < epsilon.size; ++j) {
    const Point here = space.at(j, f);
    double q[kActions];
    values.values(here, q);
    const std::size_t best = greedy_action(q, learning.allowed);
    const bool explore = random.uniform() < epsilon[j];
    const std::size_t action = explore ? random_action(random, learning.allowed) : best;
    const double price = action == kEval ? learning.beta * sample.costs[j] : 0.0;
    if (action == kEval) space.state.add(sample.votes, i, j, j, f);
    episode.push_back({here, action, -price, q[action], q[best]});
    if (action == kQuit) return;
  }
}

// `ahead` is the sum of this and later errors, each decayed by lambda per step; Watkins cuts it
// before an action that is worse than the greedy one.
template <class Values>
void sweep_back(const std::vector<Visit>& episode, const Learning& learning, Values& values) {
  double ahead = 0, q_next = 0, decay = 0;
  for (auto visit = episode.rbegin(); visit != episode.rend(); ++visit) {
    const double error = visit->reward + q_next - visit->q;
    ahead = error + decay * ahead;
    values.update(visit->at, visit->action, learning.rate * ahead, error);
    q_next = learning.off_policy ? visit->q_best : visit->q;
    decay = learning.off_policy && visit->q < visit->q_best ? 0.0 : learning.trace_decay;
  }
}

// quit_loss(f, i) is what quitting with scores f costs row i. epsilon : (N,).
template <class Votes, class State, class Values, class QuitLoss>
void learn_episodes(const Sample<Votes>& sample, const StateSpace<State>& space,
                    const Learning& learning, Span<const double> epsilon, std::size_t n_episodes,
                    Values& values, Random& random, const QuitLoss& quit_loss) {
  std::vector<Visit> episode;
  episode.reserve(epsilon.size);
  std::vector<double> f(space.state.width());
  for (std::size_t e = 0; e < n_episodes; ++e) {
    const std::size_t i = sample.draw(random);
    space.state.start(sample.bias, 1, f.data());
    roll_out(sample, i, space, learning, epsilon, values, random, f.data(), episode);
    episode.back().reward -= quit_loss(f.data(), i);
    sweep_back(episode, learning, values);
  }
}

// actions : uint8 (N, n_cells), the greedy action in every cell of the grid.
template <class Values, class State>
void tabulate(const Values& values, const StateSpace<State>& space, const bool* allowed,
              std::uint8_t* actions) {
  for (std::size_t j = 0; j < space.norm.size; ++j)
    for (std::size_t k = 0; k < space.state.n_parts(); ++k)
      for (std::size_t c = 0; c < space.centers.size; ++c) {
        double q[kActions];
        values.values(space.in_cell(j, k, c), q);
        *actions++ = static_cast<std::uint8_t>(greedy_action(q, allowed));
      }
}

}  // namespace mddag
