// Episodes of SARSA(lambda) and Watkins' Q(lambda) with replacing traces. j only grows, so no state
// is visited twice in an episode, and the online algorithm equals: roll out, then one backward
// sweep over the recorded steps. Twin: tests/reference/sarsa.py, which keeps real traces.
#pragma once

#include <cstdint>
#include <vector>

#include "mddag/random.hpp"
#include "mddag/rollout.hpp"
#include "mddag/top_two.hpp"
#include "mddag/values.hpp"

namespace mddag {

enum Action : std::size_t { kEval = 0, kSkip = 1, kQuit = 2 };

struct Learning {
  double beta;
  double rate;
  double trace_decay;
  bool off_policy;  // Watkins' Q(lambda)
  bool allowed[kActions];
};

// The state of Eq. (4) as a value function sees it: f over the largest |f| that step j can have
// reached, mapped to [0, 1]; for several classes the top class and the margin, likewise.
struct StateScale {
  Span<const double> norm;  // (N,), positive
  std::size_t n_scores;

  State at(std::size_t j, const double* f) const {
    if (n_scores == 1) return {j, 0.5 * (f[0] / norm[j] + 1.0)};
    const TopTwo top = top_two(f, n_scores);
    return {j * n_scores + top.which, 0.5 * top.margin / norm[j]};
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
  State state;
  std::size_t action;
  double reward;
  double q;       // of the action taken
  double q_best;  // of the greedy action
  bool greedy;
};

// Runs n_episodes; draw(random) gives an instance, quit_loss(f, i) what quitting costs it.
template <class Votes, class Values, class Draw, class QuitLoss>
void learn_episodes(const Votes& votes, const double* bias, const StateScale& scale,
                    const Learning& learning, Span<const double> costs, Span<const double> epsilon,
                    std::size_t n_episodes, Values& values, Random& random, const Draw& draw,
                    const QuitLoss& quit_loss) {
  const std::size_t n_steps = epsilon.size;
  std::vector<Visit> episode;
  std::vector<double> f(scale.n_scores);
  episode.reserve(n_steps);
  for (std::size_t e = 0; e < n_episodes; ++e) {
    const std::size_t i = draw(random);
    std::copy(bias, bias + scale.n_scores, f.begin());
    episode.clear();
    for (std::size_t j = 0; j < n_steps; ++j) {
      const State state = scale.at(j, f.data());
      double q[kActions];
      values.values(state, q);
      const std::size_t best = greedy_action(q, learning.allowed);
      const bool explore = random.uniform() < epsilon[j];
      const std::size_t action = explore ? random_action(random, learning.allowed) : best;
      episode.push_back({state, action, 0.0, q[action], q[best], action == best});
      if (action == kQuit) break;
      if (action == kEval) {
        add_vote(votes, i, j, f.data());
        episode.back().reward = -learning.beta * costs[j];
      }
    }
    episode.back().reward -= quit_loss(f.data(), i);
    double ahead = 0, q_next = 0, decay = 0;
    for (std::size_t t = episode.size(); t-- > 0;) {
      const Visit& step = episode[t];
      const double error = step.reward + q_next - step.q;
      ahead = error + decay * ahead;
      values.update(step.state, step.action, learning.rate * ahead, error);
      q_next = learning.off_policy ? step.q_best : step.q;
      decay = learning.off_policy && !step.greedy ? 0.0 : learning.trace_decay;
    }
  }
}

// actions : uint8 (N, n_cells), the greedy action at the centre of every cell of the grid.
template <class Values>
void tabulate(const Values& values, const StateScale& scale, Span<const double> centres,
              const bool* allowed, std::size_t n_steps, std::uint8_t* actions) {
  for (std::size_t j = 0; j < n_steps; ++j)
    for (std::size_t k = 0; k < scale.n_scores; ++k)
      for (std::size_t c = 0; c < centres.size; ++c) {
        const double s = centres[c] / scale.norm[j];
        const State state{j * scale.n_scores + k, scale.n_scores == 1 ? 0.5 * (s + 1.0) : 0.5 * s};
        double q[kActions];
        values.values(state, q);
        *actions++ = static_cast<std::uint8_t>(greedy_action(q, allowed));
      }
}

}  // namespace mddag
