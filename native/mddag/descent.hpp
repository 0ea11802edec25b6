// One backward sweep of exact coordinate descent on Eq. (8). The policy is simulated forward once;
// then, from the last decision to the first, every instance that reaches a decision is rolled out
// through the improved later ones for each action, and each group of cells takes the action with
// the smallest sum of weighted returns. Earlier decisions, which say who comes here, are still
// unchanged, so that with every cell a group of its own and no guards Eq. (8) cannot rise.
//
// Costs of unit price are summed apart from losses: so long as they are whole numbers, actions that
// are equally good tie exactly. Twin: tests/reference/descent.py.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "mddag/action.hpp"
#include "mddag/cell_groups.hpp"
#include "mddag/grid.hpp"
#include "mddag/rollout.hpp"

namespace mddag {

template <class Votes>
struct DescentProblem {
  Votes votes;
  Grid grid;
  Span<const std::int64_t> instances;  // those that count
  Span<const double> bias;             // (K,)
  Span<const double> costs;            // (N,)
  Span<const double> weight;           // (n,)
  double beta;
  std::size_t every;  // steps that one decision covers
  bool allowed[kActions];

  std::size_t n_decisions() const { return (costs.size + every - 1) / every; }
};

// QUIT must beat EVAL, and SKIP the better of the two, by so many standard errors.
struct Guards {
  Grouping grouping;
  double z_skip;
  double z_quit;
};

// What is still to be paid: loss + beta x cost.
struct Return {
  double loss;
  double cost;
};

// Sums over the instances of one group. A paired difference is that of the weighted returns.
struct GroupSums {
  enum Pair { kQuitEval, kSkipEval, kSkipQuit, kPairs };

  double count = 0;
  double loss[kActions] = {};
  double cost[kActions] = {};
  double squares[kPairs] = {};

  void add(const Return* returns, double beta, double weight) {
    double paid[kActions];
    for (std::size_t a = 0; a < kActions; ++a) {
      loss[a] += weight * returns[a].loss;
      cost[a] += weight * returns[a].cost;
      paid[a] = weight * (returns[a].loss + beta * returns[a].cost);
    }
    ++count;
    squares[kQuitEval] += square(paid[kQuit] - paid[kEval]);
    squares[kSkipEval] += square(paid[kSkip] - paid[kEval]);
    squares[kSkipQuit] += square(paid[kSkip] - paid[kQuit]);
  }

  // The action by the guards; ties go to QUIT, then EVAL.
  Action choose(double beta, const Guards& guards, const bool* allowed) const {
    Action best = kEval;
    if (allowed[kQuit] && advantage(kQuit, kEval, kQuitEval, beta, guards.z_quit) >= 0)
      best = kQuit;
    const Pair pair = best == kQuit ? kSkipQuit : kSkipEval;
    if (allowed[kSkip] && advantage(kSkip, best, pair, beta, guards.z_skip) > 0) best = kSkip;
    return best;
  }

 private:
  static double square(double x) { return x * x; }

  double advantage(Action a, Action over, Pair pair, double beta, double z) const {
    const double gain = (loss[over] + beta * cost[over]) - (loss[a] + beta * cost[a]);
    if (z == 0) return gain;
    return gain - z * std::sqrt(std::max(squares[pair] - gain * gain / count, 0.0));
  }
};

// Losses : losses(scores, instances, n, out) for n instances at once; losses.block() is how many
// instances it wants together.
template <class Votes, class Losses>
class Sweep {
 public:
  // actions : uint8 (n_decisions, n_cells), the policy, improved in place.
  Sweep(const DescentProblem<Votes>& problem, const Guards& guards, const Losses& losses,
        int n_threads, std::uint8_t* actions)
      : problem_(problem),
        guards_(guards),
        losses_(losses),
        n_threads_(n_threads),
        actions_(actions),
        n_(problem.instances.size),
        K_(problem.grid.n_scores),
        n_cells_(static_cast<std::size_t>(problem.grid.n_cells())),
        D_(problem.n_decisions()),
        stride_(static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(D_))))),
        checkpoints_(((D_ + stride_ - 1) / stride_) * n_ * K_),
        states_(stride_ * n_ * K_),
        exit_(n_),
        ahead_(n_),
        here_(n_ * kActions),
        cell_(n_),
        next_((D_ + 1) * n_cells_, static_cast<std::int32_t>(D_)),
        visits_(n_cells_),
        group_(n_cells_) {}

  // Returns the mean of what the improved policy pays, Eq. (8) on these instances.
  double run() {
    simulate();
    sort_by_exit();
    for (std::size_t d = D_; d-- > 0;) {
      if (d == D_ - 1 || d % stride_ == stride_ - 1) replay(d - d % stride_, d);
      look_ahead(d);
      decide(d);
    }
    return mean_return();
  }

 private:
  using Instances = Span<const std::int64_t>;

  std::size_t instance(std::size_t p) const {
    return static_cast<std::size_t>(problem_.instances[p]);
  }
  std::size_t cell(const double* f) const {
    return static_cast<std::size_t>(problem_.grid.cell(f));
  }
  std::uint8_t* row(std::size_t d) const { return actions_ + d * n_cells_; }
  double* state(std::size_t d, std::size_t p) { return &states_[((d % stride_) * n_ + p) * K_]; }
  double* checkpoint(std::size_t d, std::size_t p) {
    return &checkpoints_[((d / stride_) * n_ + p) * K_];
  }

  // f += the votes of the steps that decision d covers; returns their cost.
  double evaluate(std::size_t d, std::size_t p, double* f) const {
    const std::size_t end = std::min((d + 1) * problem_.every, problem_.costs.size);
    double cost = 0;
    for (std::size_t j = d * problem_.every; j < end; ++j) {
      add_vote(problem_.votes, instance(p), j, f);
      cost += problem_.costs[j];
    }
    return cost;
  }

  double cost_of(std::size_t d) const {
    const std::size_t end = std::min((d + 1) * problem_.every, problem_.costs.size);
    double cost = 0;
    for (std::size_t j = d * problem_.every; j < end; ++j) cost += problem_.costs[j];
    return cost;
  }

  // Follows the policy from the state f before decision `from` up to decision `to`, or until it
  // quits; passed(d, f) before each decision. Returns the decision at which it stands.
  template <class Passed>
  std::size_t follow(std::size_t p, std::size_t from, std::size_t to, double* f,
                     const Passed& passed) const {
    std::size_t c = cell(f);
    for (std::size_t d = from; d < to; ++d) {
      passed(d, f);
      const std::uint8_t action = row(d)[c];
      if (action == kQuit) return d;
      if (action == kEval) {
        evaluate(d, p, f);
        c = cell(f);
      }
    }
    return to;
  }

  // Where everyone quits, and the states at every stride_-th decision: those between are computed
  // again when they are needed, since all of them would take more memory than the votes.
  void simulate() {
    blocks(n_, [&](std::size_t first, std::size_t n) {
      std::vector<double> ends(n * K_), loss(n);
      std::vector<std::int64_t> who(n);
      for (std::size_t p = first; p < first + n; ++p) {
        double* f = &ends[(p - first) * K_];
        std::copy(problem_.bias.data, problem_.bias.data + K_, f);
        exit_[p] = follow(p, 0, D_, f, [&](std::size_t d, const double* passed) {
          if (d % stride_ == 0) std::copy(passed, passed + K_, checkpoint(d, p));
        });
        who[p - first] = problem_.instances[p];
      }
      losses_(ends.data(), who.data(), n, loss.data());
      for (std::size_t p = first; p < first + n; ++p) ahead_[p] = {loss[p - first], 0.0};
    });
  }

  // Who goes furthest comes first: those who reach decision d are the first n_reaching_[d].
  void sort_by_exit() {
    n_reaching_.assign(D_ + 1, 0);
    for (const std::size_t d : exit_) ++n_reaching_[d];
    for (std::size_t d = D_; d-- > 0;) n_reaching_[d] += n_reaching_[d + 1];
    std::vector<std::size_t> place(n_reaching_.begin() + 1, n_reaching_.end());
    place.push_back(0);
    by_exit_.resize(n_);
    for (std::size_t p = 0; p < n_; ++p) by_exit_[place[exit_[p]]++] = p;
  }

  // The states before decisions first .. last, all of one checkpoint.
  void replay(std::size_t first, std::size_t last) {
    blocks(n_reaching_[first], [&](std::size_t begin, std::size_t n) {
      std::vector<double> f(K_);
      for (std::size_t r = begin; r < begin + n; ++r) {
        const std::size_t p = by_exit_[r];
        std::copy(checkpoint(first, p), checkpoint(first, p) + K_, f.begin());
        follow(p, first, last + 1, f.data(), [&](std::size_t d, const double* passed) {
          std::copy(passed, passed + K_, state(d, p));
        });
      }
    });
  }

  // What every action at decision d would pay, for everyone who reaches it. `ahead_` knows what
  // follows the action of the present policy; other actions are rolled out.
  void look_ahead(std::size_t d) {
    const double price = cost_of(d);
    blocks(n_reaching_[d], [&](std::size_t first, std::size_t n) {
      std::vector<double> ends(kActions * n * K_), loss(kActions * n);
      std::vector<std::int64_t> who;
      std::vector<Return*> asked;
      double* f = ends.data();
      const auto ask = [&](std::size_t p, Return& slot, double cost) {
        slot.cost = cost;
        asked.push_back(&slot);
        who.push_back(problem_.instances[p]);
        f += K_;
      };
      for (std::size_t r = first; r < first + n; ++r) {
        const std::size_t p = by_exit_[r];
        const double* now = state(d, p);
        Return* here = &here_[r * kActions];
        cell_[r] = static_cast<std::int32_t>(cell(now));
        const std::uint8_t present = row(d)[cell_[r]];
        std::copy(now, now + K_, f);
        ask(p, here[kQuit], 0.0);
        if (present == kEval) {
          here[kEval] = {ahead_[p].loss, ahead_[p].cost + price};
        } else {
          std::copy(now, now + K_, f);
          evaluate(d, p, f);
          ask(p, here[kEval], price + roll_out(d + 1, p, f));
        }
        if (present == kSkip) {
          here[kSkip] = ahead_[p];
        } else if (problem_.allowed[kSkip]) {
          std::copy(now, now + K_, f);
          ask(p, here[kSkip], roll_out(d + 1, p, f));
        }
      }
      losses_(ends.data(), who.data(), who.size(), loss.data());
      for (std::size_t s = 0; s < asked.size(); ++s) asked[s]->loss = loss[s];
    });
  }

  // From decision d on through the improved policy; returns the cost.
  double roll_out(std::size_t d, std::size_t p, double* f) const {
    double cost = 0;
    for (;;) {
      d = static_cast<std::size_t>(next_[d * n_cells_ + cell(f)]);
      if (d == D_) return cost;
      cost += evaluate(d, p, f);
      ++d;
    }
  }

  void decide(std::size_t d) {
    const std::size_t n_here = n_reaching_[d];
    std::fill(visits_.begin(), visits_.end(), 0u);
    for (std::size_t r = 0; r < n_here; ++r) ++visits_[static_cast<std::size_t>(cell_[r])];
    const auto row_cells = static_cast<std::size_t>(problem_.grid.row_cells());
    const std::size_t n_groups = group_cells(visits_, row_cells, guards_.grouping, group_);
    sums_.assign(n_groups, GroupSums());
    for (std::size_t r = 0; r < n_here; ++r) {
      const double weight = problem_.weight[instance(by_exit_[r])];
      sums_[group_at(r)].add(&here_[r * kActions], problem_.beta, weight);
    }
    std::vector<Action> chosen(n_groups);
    for (std::size_t g = 0; g < n_groups; ++g)
      chosen[g] = sums_[g].choose(problem_.beta, guards_, problem_.allowed);
    for (std::size_t r = 0; r < n_here; ++r)
      ahead_[by_exit_[r]] = here_[r * kActions + chosen[group_at(r)]];
    write(d, chosen);
  }

  std::size_t group_at(std::size_t r) const {
    return static_cast<std::size_t>(group_[static_cast<std::size_t>(cell_[r])]);
  }

  // The actions of decision d, and its row of the jump table.
  void write(std::size_t d, const std::vector<Action>& chosen) {
    for (std::size_t c = 0; c < n_cells_; ++c) {
      if (group_[c] != kNobody)
        row(d)[c] = static_cast<std::uint8_t>(chosen[static_cast<std::size_t>(group_[c])]);
      const std::uint8_t action = row(d)[c];
      const std::size_t to = action == kQuit ? D_ : d;
      next_[d * n_cells_ + c] =
          action == kSkip ? next_[(d + 1) * n_cells_ + c] : static_cast<std::int32_t>(to);
    }
  }

  double mean_return() const {
    double loss = 0, cost = 0, weight = 0;
    for (std::size_t p = 0; p < n_; ++p) {
      const double w = problem_.weight[instance(p)];
      loss += w * ahead_[p].loss;
      cost += w * ahead_[p].cost;
      weight += w;
    }
    return (loss + problem_.beta * cost) / weight;
  }

  template <class Body>
  void blocks(std::size_t n, const Body& body) const {
    const std::size_t size = losses_.block(n);
    parallel_for((n + size - 1) / size, n_threads_,
                 [&](std::size_t block) { body(block * size, std::min(size, n - block * size)); });
  }

  const DescentProblem<Votes>& problem_;
  Guards guards_;
  const Losses& losses_;
  int n_threads_;
  std::uint8_t* actions_;
  std::size_t n_, K_, n_cells_, D_;
  std::size_t stride_;
  std::vector<double> checkpoints_, states_;
  std::vector<std::size_t> exit_, by_exit_, n_reaching_;
  std::vector<Return> ahead_;  // (n,): from the decision after the present one on
  std::vector<Return> here_;   // (n, 3): by action, in the order of by_exit_
  std::vector<std::int32_t> cell_;
  std::vector<std::int32_t> next_;  // (D + 1, n_cells): the next decision that evaluates
  std::vector<std::uint32_t> visits_;
  std::vector<std::int32_t> group_;
  std::vector<GroupSums> sums_;
};

}  // namespace mddag
