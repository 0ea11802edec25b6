// One backward sweep of exact coordinate descent on Eq. (8). The policy is simulated forward once;
// then, from the last decision to the first, every row that reaches a decision is rolled out
// through the improved later ones for each action, and each group of cells takes the action with
// the smallest sum of weighted returns. Earlier decisions, which determine the rows that come here,
// are still unchanged, so that with every cell a group of its own and no guards Eq. (8) cannot
// rise.
//
// Costs of unit price are summed apart from losses: so long as they are whole numbers, actions that
// are equally good tie exactly. Twin: tests/reference/solvers.py.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "internal/parallel.hpp"
#include "internal/span.hpp"
#include "mdp/action.hpp"
#include "mdp/jump_table.hpp"
#include "mdp/state.hpp"
#include "solvers/group_sums.hpp"

namespace mddag {

template <class Votes, class State>
struct DescentProblem {
  Votes votes;
  State state;
  Span<const std::int64_t> rows;  // those that count
  Span<const double> bias;        // (K,)
  Span<const double> costs;       // (N,)
  Span<const double> weight;      // (n,)
  double beta;
  std::size_t every;  // steps that one decision covers
  bool allowed[kActions];

  std::size_t n_decisions() const { return (costs.size + every - 1) / every; }
};

// Losses : losses(scores, rows, n, out) for n rows at once; losses.block(n) is how many
// of n are computed together.
template <class Votes, class State, class Losses>
class Sweep {
 public:
  // actions : uint8 (n_decisions, n_cells), the policy, improved in place.
  Sweep(const DescentProblem<Votes, State>& problem, const Guards& guards, const Losses& losses,
        int n_threads, std::uint8_t* actions)
      : problem_(problem),
        guards_(guards),
        losses_(losses),
        n_threads_(n_threads),
        actions_(actions),
        n_(problem.rows.size),
        n_cells_(problem.state.n_cells()),
        D_(problem.n_decisions()),
        stride_(static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(D_))))),
        checkpoints_(((D_ + stride_ - 1) / stride_) * n_ * width()),
        carried_(stride_ * n_ * width()),
        row_(n_),
        ahead_(n_),
        here_(n_ * kActions),
        cell_(n_),
        next_((D_ + 1) * n_cells_, static_cast<std::int32_t>(D_)),
        visits_(n_cells_),
        group_(n_cells_) {
    for (std::size_t d = 0; d < D_; ++d) {
      price_.push_back(price_of(d));
      common_.push_back(common_action(d));
    }
  }

  // Returns the mean of what the improved policy pays, Eq. (8) on these rows.
  double run() {
    simulate();
    for (std::size_t d = D_; d-- > 0;) {
      if (d == D_ - 1 || d % stride_ == stride_ - 1) replay(d - d % stride_, d);
      look_ahead(d);
      decide(d);
    }
    return mean_return();
  }

 private:
  static constexpr std::uint8_t kMixed = kActions;

  // What rows carry at the end; their losses are computed together.
  struct Ends {
    std::vector<double> scores, loss;
    std::vector<std::int64_t> rows;
    std::size_t n = 0;

    Ends(std::size_t most, std::size_t width) : scores(most * width), loss(most), rows(most) {}
  };

  std::size_t width() const { return problem_.state.width(); }
  std::uint8_t* row(std::size_t d) const { return actions_ + d * n_cells_; }
  std::size_t cell(std::size_t d, const double* f) const {
    return problem_.state.cell(d * problem_.every, f);
  }
  // Ranks count rows from the one that goes furthest; checkpoints are made before.
  double* carried(std::size_t d, std::size_t rank) {
    return &carried_[((d % stride_) * n_ + rank) * width()];
  }
  double* checkpoint(std::size_t d, std::size_t position) {
    return &checkpoints_[((d / stride_) * n_ + position) * width()];
  }
  std::size_t end_of(std::size_t d) const {
    return std::min((d + 1) * problem_.every, problem_.costs.size);
  }

  // The one action that decision d takes in all cells, or kMixed. Starts have many such decisions,
  // which need no cell.
  std::uint8_t common_action(std::size_t d) const {
    const bool mixed = std::any_of(row(d), row(d) + n_cells_,
                                   [&](std::uint8_t action) { return action != row(d)[0]; });
    return mixed ? kMixed : row(d)[0];
  }

  double price_of(std::size_t d) const {
    double price = 0;
    for (std::size_t j = d * problem_.every; j < end_of(d); ++j) price += problem_.costs[j];
    return price;
  }

  // f += the votes of the steps that decision d covers.
  void evaluate(std::size_t d, std::int64_t i, double* f) const {
    for (std::size_t j = d * problem_.every; j < end_of(d); ++j)
      problem_.state.add(problem_.votes, static_cast<std::size_t>(i), j, j, f);
  }

  // Follows the present policy from the state f before decision `from` to before `to`, or until it
  // quits; passed(d) before each decision. Returns the decision at which it stands.
  template <class Passed>
  std::size_t follow(std::int64_t i, std::size_t from, std::size_t to, double* f,
                     const Passed& passed) const {
    std::size_t c = n_cells_;  // not looked up
    for (std::size_t d = from; d < to; ++d) {
      passed(d);
      if (common_[d] == kMixed && c == n_cells_) c = cell(d, f);
      const std::uint8_t action = common_[d] == kMixed ? row(d)[c] : common_[d];
      if (action == kQuit) return d;
      if (action == kEval) evaluate(d, i, f);
      if (action == kEval || !State::kFolds) c = n_cells_;
    }
    return to;
  }

  // Where each row quits, and what it carries at every stride_-th decision: those between are
  // computed again when they are needed, since all of them would take more memory than the votes.
  void simulate() {
    std::vector<std::size_t> exit(n_);
    std::vector<double> final_loss(n_);
    blocks(n_, [&](std::size_t first, std::size_t n) {
      Ends ends(n, width());
      for (std::size_t p = first; p < first + n; ++p) {
        double* f = &ends.scores[(p - first) * width()];
        problem_.state.start(problem_.bias.data, 1, f);
        exit[p] = follow(problem_.rows[p], 0, D_, f, [&](std::size_t d) {
          if (d % stride_ == 0) std::copy(f, f + width(), checkpoint(d, p));
        });
      }
      losses_(ends.scores.data(), problem_.rows.data + first, n, final_loss.data() + first);
    });
    rank(exit);
    for (std::size_t r = 0; r < n_; ++r) {
      row_[r] = problem_.rows[position_[r]];
      ahead_[r] = {final_loss[position_[r]], 0.0};
    }
  }

  // Rows that go furthest come first: those that reach decision d are the first n_reaching_[d].
  void rank(const std::vector<std::size_t>& exit) {
    n_reaching_.assign(D_ + 2, 0);
    for (const std::size_t d : exit) ++n_reaching_[d];
    for (std::size_t d = D_ + 1; d-- > 0;) n_reaching_[d] += n_reaching_[d + 1];
    std::vector<std::size_t> place(n_reaching_.begin() + 1, n_reaching_.end());
    position_.resize(n_);
    for (std::size_t p = 0; p < n_; ++p) position_[place[exit[p]]++] = p;
  }

  // The states before decisions first .. last, all of one checkpoint.
  void replay(std::size_t first, std::size_t last) {
    blocks(n_reaching_[first], [&](std::size_t begin, std::size_t n) {
      std::vector<double> f(width());
      for (std::size_t r = begin; r < begin + n; ++r) {
        const double* start = checkpoint(first, position_[r]);
        std::copy(start, start + width(), f.begin());
        follow(row_[r], first, last + 1, f.data(),
               [&](std::size_t d) { std::copy(f.begin(), f.end(), carried(d, r)); });
      }
    });
  }

  // What every action at decision d would pay, for each row that reaches it. `ahead_` holds what
  // follows the action of the present policy; other actions are rolled out.
  void look_ahead(std::size_t d) {
    blocks(n_reaching_[d], [&](std::size_t first, std::size_t n) {
      Ends ends(kActions * n, width());
      std::vector<Return*> paid(kActions * n);
      std::vector<std::uint32_t> on_the_way;
      on_the_way.reserve(2 * n);
      const auto end_with = [&](std::size_t r, Action action) {
        const std::size_t s = ends.n++;
        double* f = &ends.scores[s * width()];
        std::copy(carried(d, r), carried(d, r) + width(), f);
        ends.rows[s] = row_[r];
        paid[s] = &here_[r * kActions + action];
        paid[s]->cost = action == kEval ? price_[d] : 0.0;
        if (action == kEval) evaluate(d, row_[r], f);
        if (action != kQuit) on_the_way.push_back(static_cast<std::uint32_t>(s));
      };
      for (std::size_t r = first; r < first + n; ++r) {
        cell_[r] = static_cast<std::int32_t>(cell(d, carried(d, r)));
        const std::uint8_t present = row(d)[static_cast<std::size_t>(cell_[r])];
        Return* here = &here_[r * kActions];
        if (present == kEval) here[kEval] = {ahead_[r].loss, ahead_[r].cost + price_[d]};
        if (present == kSkip) here[kSkip] = ahead_[r];
        if (present != kEval) end_with(r, kEval);
        if (present != kSkip && problem_.allowed[kSkip]) end_with(r, kSkip);
        if (problem_.allowed[kQuit]) end_with(r, kQuit);
      }
      roll_out(d + 1, on_the_way, ends, paid);
      losses_(ends.scores.data(), ends.rows.data(), ends.n, ends.loss.data());
      for (std::size_t s = 0; s < ends.n; ++s) paid[s]->loss = ends.loss[s];
    });
  }

  // From decision d on through the improved policy. All go on by one evaluation before any goes on
  // by another, for a single path would wait for memory at each of its steps.
  void roll_out(std::size_t d, std::vector<std::uint32_t>& on_the_way, Ends& ends,
                const std::vector<Return*>& paid) const {
    std::vector<std::uint32_t> at(ends.n, static_cast<std::uint32_t>(d));
    while (!on_the_way.empty()) {
      std::size_t n_left = 0;
      for (const std::uint32_t s : on_the_way) {
        double* f = &ends.scores[s * width()];
        const auto to = static_cast<std::size_t>(next_step<State::kFolds>(
            next_.data(), n_cells_, D_, at[s], [&](std::size_t l) { return cell(l, f); }));
        if (to == D_) continue;
        paid[s]->cost += price_[to];
        evaluate(to, ends.rows[s], f);
        at[s] = static_cast<std::uint32_t>(to + 1);
        on_the_way[n_left++] = s;
      }
      on_the_way.resize(n_left);
    }
  }

  void decide(std::size_t d) {
    const std::size_t n_here = n_reaching_[d];
    std::fill(visits_.begin(), visits_.end(), 0u);
    for (std::size_t r = 0; r < n_here; ++r) ++visits_[static_cast<std::size_t>(cell_[r])];
    const std::size_t part_cells = n_cells_ / problem_.state.n_parts();
    const std::size_t n_groups = group_cells(visits_, part_cells, guards_.grouping, group_);
    std::vector<GroupSums> sums(n_groups);
    for (std::size_t r = 0; r < n_here; ++r)
      sums[group_at(r)].add(&here_[r * kActions], problem_.beta, weight(r));
    std::vector<Action> chosen(n_groups);
    for (std::size_t g = 0; g < n_groups; ++g)
      chosen[g] = sums[g].choose(problem_.beta, guards_, problem_.allowed);
    for (std::size_t r = 0; r < n_here; ++r) ahead_[r] = here_[r * kActions + chosen[group_at(r)]];
    write(d, chosen);
  }

  std::size_t group_at(std::size_t r) const {
    return static_cast<std::size_t>(group_[static_cast<std::size_t>(cell_[r])]);
  }
  double weight(std::size_t r) const { return problem_.weight[static_cast<std::size_t>(row_[r])]; }

  // The actions of decision d, and its row of the jump table.
  void write(std::size_t d, const std::vector<Action>& chosen) {
    std::int32_t* next = &next_[d * n_cells_];
    for (std::size_t c = 0; c < n_cells_; ++c) {
      if (group_[c] != kUnvisited)
        row(d)[c] = static_cast<std::uint8_t>(chosen[static_cast<std::size_t>(group_[c])]);
      const std::size_t to = row(d)[c] == kEval ? d : row(d)[c] == kQuit ? D_ : d + 1;
      next[c] =
          State::kFolds && row(d)[c] == kSkip ? next[n_cells_ + c] : static_cast<std::int32_t>(to);
    }
  }

  double mean_return() const {
    double loss = 0, cost = 0, total = 0;
    for (std::size_t r = 0; r < n_; ++r) {
      loss += weight(r) * ahead_[r].loss;
      cost += weight(r) * ahead_[r].cost;
      total += weight(r);
    }
    return (loss + problem_.beta * cost) / total;
  }

  template <class Body>
  void blocks(std::size_t n, const Body& body) const {
    const std::size_t size = losses_.block(n);
    parallel_for((n + size - 1) / size, n_threads_,
                 [&](std::size_t block) { body(block * size, std::min(size, n - block * size)); });
  }

  const DescentProblem<Votes, State>& problem_;
  const Guards guards_;
  const Losses& losses_;
  const int n_threads_;
  std::uint8_t* const actions_;
  const std::size_t n_, n_cells_, D_, stride_;
  std::vector<double> price_;                  // (D,)
  std::vector<std::uint8_t> common_;           // (D,): before the sweep
  std::vector<double> checkpoints_, carried_;  // (D / stride, n, K) by position, (stride, n, K)
  std::vector<std::size_t> position_;          // (n,): of each rank among the rows
  std::vector<std::size_t> n_reaching_;        // (D + 2,)
  std::vector<std::int64_t> row_;              // (n,) by rank, here and below
  std::vector<Return> ahead_;                  // (n,): what follows the decisions so far
  std::vector<Return> here_;                   // (n, 3): by action
  std::vector<std::int32_t> cell_;             // (n,)
  std::vector<std::int32_t> next_;             // (D + 1, n_cells): the next decision to evaluate
  std::vector<std::uint32_t> visits_;          // (n_cells,)
  std::vector<std::int32_t> group_;            // (n_cells,)
};

}  // namespace mddag
