// The losses and costs of a nested family of early exits, in one walk of all rows through the sums
// f^(0) .. f^(N): src/mddag/solvers/exits.py, whose slower loop is for losses without a twin
// here. Sums are added up in its order, so both give the same bits. Twin:
// tests/reference/rollout.py.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "internal/span.hpp"
#include "mdp/loss.hpp"
#include "mdp/state.hpp"

namespace mddag {

// The first candidate that quits at decision d in cell c; the strides are 0 where it is the same in
// all decisions, or in all cells.
struct ExitLevels {
  Span<const std::int32_t> levels;
  std::size_t by_decision, by_cell;
  std::size_t n_candidates;
  std::size_t every;  // steps that one decision covers

  std::size_t at(std::size_t d, std::size_t c) const {
    return static_cast<std::size_t>(levels[d * by_decision + c * by_cell]);
  }
};

// What candidates pay at one step. Those from a row's level on, but not those that have quit it
// before, pay the same: what is kept is a jump up at the one, and down at the other.
class ExitJumps {
 public:
  ExitJumps(std::size_t n_candidates, std::size_t n_sums)
      : n_sums_(n_sums),
        up_((n_candidates + 1) * n_sums),
        down_(up_.size()),
        is_touched_(n_candidates + 1) {}

  void add(std::size_t from, std::size_t to, const double* amounts) {
    touch(from);
    touch(to);
    for (std::size_t s = 0; s < n_sums_; ++s) {
      up_[from * n_sums_ + s] += amounts[s];
      down_[to * n_sums_ + s] += amounts[s];
    }
  }

  // Adds the jumps to sums (n_sums, n_candidates + 1), and begins again.
  void empty_into(double* sums) {
    for (const std::size_t c : touched_) {
      for (std::size_t s = 0; s < n_sums_; ++s) {
        double& sum = sums[s * is_touched_.size() + c];
        double &up = up_[c * n_sums_ + s], &down = down_[c * n_sums_ + s];
        sum = (sum + up) - down;
        up = down = 0;
      }
      is_touched_[c] = 0;
    }
    touched_.clear();
  }

 private:
  void touch(std::size_t c) {
    if (!is_touched_[c]) touched_.push_back(c);
    is_touched_[c] = 1;
  }

  const std::size_t n_sums_;
  std::vector<double> up_, down_;  // (n_candidates + 1, n_sums)
  std::vector<std::uint8_t> is_touched_;
  std::vector<std::size_t> touched_;
};

// bias   : (K,)
// weight : (n,), of the rows
// spent  : (N + 1,), what the first j base classifiers cost
// losses : of which QUIT is paid by
// sums   : (n_losses + 1, n_candidates + 1), zeros: the jumps of each loss, and of the cost
template <class Votes, class State>
void walk_exits(const Votes& votes, const State& state, const double* bias,
                Span<const double> weight, Span<const double> spent, const ExitLevels& exits,
                const std::vector<LabeledLoss>& losses, double* sums) {
  const std::size_t n = weight.size, n_steps = spent.size - 1, width = state.width();
  std::vector<double> scores(n * width), amounts(losses.size() + 1);
  state.start(bias, n, scores.data());
  std::vector<std::size_t> running(n, exits.n_candidates);  // those below it have not quit the row
  ExitJumps jumps(exits.n_candidates, amounts.size());
  for (std::size_t j = 0; j <= n_steps; ++j) {
    const bool looks = j == n_steps || j % exits.every == 0;
    for (std::size_t i = 0; i < n; ++i) {
      double* f = &scores[i * width];
      if (looks) {
        const std::size_t level = j == n_steps ? 0 : exits.at(j / exits.every, state.cell(j, f));
        if (level < running[i]) {
          for (std::size_t s = 0; s < losses.size(); ++s) amounts[s] = weight[i] * losses[s](f, i);
          amounts.back() = weight[i] * spent[j];
          jumps.add(level, running[i], amounts.data());
          running[i] = level;
        }
      }
      if (j < n_steps) votes.add(i, j, f);
    }
    jumps.empty_into(sums);
  }
}

}  // namespace mddag
