// The three actions in a group of cells: sums of exact returns, and of the squares of their paired
// differences, by which the guards separate an advantage from noise.
#pragma once

#include <algorithm>
#include <cmath>

#include "mdp/action.hpp"
#include "solvers/cell_groups.hpp"

namespace mddag {

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

// Sums over the rows of one group. A paired difference is that of the weighted returns.
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

}  // namespace mddag
