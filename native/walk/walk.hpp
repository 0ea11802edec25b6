// The row walk: each row goes through the jump table at its own pace, evaluating what it needs.
//
//   for (j = next(0, f); j < N; j = next(j + 1, f))  f += h_j(x)
//
// Sums are integers, so the answer does not depend on the number of threads, on which rows go
// together, or on whether a row comes alone. Several rows take their steps in turn, so that the
// latency of one step hides behind the others. Twin: tests/reference/rollout.py, on votes that are
// whole multiples of the unit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ensemble/table_fault.hpp"
#include "ensemble/trees.hpp"
#include "internal/parallel.hpp"
#include "walk/jumps.hpp"
#include "walk/paths.hpp"
#include "walk/state.hpp"
#include "walk/step_functions.hpp"
#include "walk/turns.hpp"
#include "walk/walk_source.hpp"
#include "walk/walked_trees.hpp"

namespace mddag {

class Walk {
 public:
  // unit : what an integer stands for; missing : whether a row may hold NaN (batches are checked
  // before they come here). The rest as in WalkSource and Jumps.
  Walk(WalkSource&& source, double unit, Jumps<SumState>&& jumps, bool missing)
      : source_(std::move(source)), unit_(unit), missing_(missing), jumps_(std::move(jumps)) {
    if (source_.n_features > kMostFeatures) refuse("rows have more columns than tests can number");
    if (jumps_.evaluates_all()) step_functions_ = StepFunctions::of(source_);
  }

  Walk(const Walk&) = delete;  // forms refer to the source

  std::size_t n_features() const { return source_.n_features; }
  std::size_t n_scores() const { return source_.n_scores(); }
  std::size_t n_steps() const { return source_.n_steps(); }

  // The class of one row: with one score, whether it is above 0; else the first of the best.
  template <class T>
  std::int64_t code(const T* x) const {
    if (n_scores() == 1) {
      std::int32_t f;
      sums(x, &f);
      return f > 0;
    }
    std::vector<std::int32_t> f(n_scores());
    sums(x, f.data());
    return std::max_element(f.begin(), f.end()) - f.begin();
  }

  // The scores (K,) of one row; its exit step is returned, as `exits` gives it.
  template <class T>
  std::size_t exit_of(const T* x, double* scores) const {
    if (n_scores() == 1) {
      std::int32_t f;
      const std::size_t exit = sums(x, &f);
      *scores = f * unit_;
      return exit;
    }
    std::vector<std::int32_t> f(n_scores());
    const std::size_t exit = sums(x, f.data());
    to_scores(f, scores);
    return exit;
  }

  // scores : (n, K).
  template <class T>
  void scores(const Rows<T>& rows, double* scores, int n_threads) const {
    for_row_blocks(rows, kPathBlock, n_threads, [&](const T* x, std::size_t first, std::size_t n) {
      double* out = scores + first * n_scores();
      if (!step_functions_) return follow(x, n, out, [](std::size_t, std::size_t) {});
      std::vector<std::int32_t> f(n * n_scores());
      for (std::size_t i = 0; i < n; ++i)
        step_functions_->sums(x + i * n_features(), f.data() + i * n_scores());
      to_scores(f, out);
    });
  }

  // exit_step : (n,), one more than the last step that evaluates; it holds zeros on entry.
  template <class T>
  void exits(const Rows<T>& rows, double* scores, std::int32_t* exit_step, int n_threads) const {
    for_row_blocks(rows, kPathBlock, n_threads, [&](const T* x, std::size_t first, std::size_t n) {
      follow(x, n, scores + first * n_scores(), [&](std::size_t i, std::size_t j) {
        exit_step[first + i] = static_cast<std::int32_t>(j) + 1;
      });
    });
  }

  // The same, with the paths. costs : (N,), of the base classifiers of the source; cost : (n,), it
  // holds zeros on entry.
  template <class T>
  Paths run(const Rows<T>& rows, const double* costs, double* scores, std::int32_t* exit_step,
            double* cost, int n_threads) const {
    std::vector<std::vector<std::int32_t>> indices((rows.n_rows + kPathBlock - 1) / kPathBlock);
    std::vector<std::int32_t> n_evaluated(rows.n_rows, 0);
    for_row_blocks(rows, kPathBlock, n_threads, [&](const T* x, std::size_t first, std::size_t n) {
      std::vector<Visited> visits;
      follow(x, n, scores + first * n_scores(), [&](std::size_t i, std::size_t j) {
        const std::int64_t h = source_.order[j];
        ++n_evaluated[first + i];
        exit_step[first + i] = static_cast<std::int32_t>(j) + 1;
        cost[first + i] += costs[h];
        visits.push_back({i, static_cast<std::int32_t>(h)});
      });
      indices[first / kPathBlock] = by_instance(visits, n, n_evaluated.data() + first);
    });
    return {std::move(n_evaluated), joined(std::move(indices))};
  }

 private:
  template <class T>
  struct Lazy {  // made when rows of T first come
    std::once_flag once;
    std::unique_ptr<WalkedTrees<T>> trees;
  };

  // The sums (K,) of one row; its exit step is returned.
  template <class T>
  std::size_t sums(const T* x, std::int32_t* f) const {
    if (!missing_) refuse_missing(x);
    if (step_functions_) {
      step_functions_->sums(x, f);
      return n_steps();
    }
    state().start(source_.bias.data(), 1, f);
    std::size_t exit = 0;
    with_votes<T>([&](const auto& votes) {
      for (std::size_t j = next(0, f); j < n_steps(); j = next(exit, f)) {
        votes.add(j, x, f);
        exit = j + 1;
      }
    });
    return exit;
  }

  template <class T>
  void refuse_missing(const T* x) const {
    for (std::size_t c = 0; c < n_features(); ++c)
      if (x[c] != x[c])
        throw std::invalid_argument(
            "x contains NaN (column " + std::to_string(c) +
            "), but the model was trained without missing values; impute them first");
  }

  void to_scores(const std::vector<std::int32_t>& sums, double* scores) const {
    for (std::size_t i = 0; i < sums.size(); ++i) scores[i] = sums[i] * unit_;
  }

  SumState state() const { return {n_scores()}; }
  std::size_t next(std::size_t step, const std::int32_t* f) const {
    return static_cast<std::size_t>(jumps_.next(step, f));
  }

  template <class T, class Body>
  void with_votes(const Body& body) const {
    Lazy<T>& form = std::get<Lazy<T>>(forms_);
    std::call_once(form.once, [&] { form.trees = std::make_unique<WalkedTrees<T>>(source_); });
    const WalkedTrees<T>& trees = *form.trees;
    if (trees.uniform(Form::stump)) return body(StumpVotes<T>{trees});
    if (trees.uniform(Form::bush)) return body(BushVotes<T>{trees});
    if (trees.uniform(Form::tree)) return body(TreeVotes<T, false>{trees});
    if (trees.uniform(Form::nominal)) return body(TreeVotes<T, true>{trees});
    body(trees);
  }

  // Takes n rows to their ends; visit(i, j) is called for every evaluation, of each row in order.
  template <class T, class Visit>
  void follow(const T* x, std::size_t n, double* scores, const Visit& visit) const {
    std::vector<std::int32_t> f(n * n_scores());
    state().start(source_.bias.data(), n, f.data());
    with_votes<T>([&](const auto& votes) { take_turns(votes, x, n, f.data(), visit); });
    to_scores(f, scores);
  }

  template <class Votes, class T, class Visit>
  void take_turns(const Votes& votes, const T* x, std::size_t n, std::int32_t* sums,
                  const Visit& visit) const {
    const std::size_t begin = next(0, source_.bias.data());  // every row begins with the bias
    const auto started = [&](std::size_t row) {
      return Lane<T>{row, begin, x + row * n_features(), sums + row * n_scores()};
    };
    std::size_t n_lanes = begin < n_steps() ? std::min(n, kLanes) : 0, waiting = n_lanes;
    Lane<T> lanes[kLanes];
    for (std::size_t i = 0; i < n_lanes; ++i) lanes[i] = started(i);
    while (n_lanes > 0) {
      add_each(votes, lanes, n_lanes);
      for (std::size_t i = n_lanes; i-- > 0;) {
        Lane<T>& lane = lanes[i];
        visit(lane.row, lane.step);
        lane.step = next(lane.step + 1, lane.f);
        if (lane.step < n_steps()) continue;
        lane = waiting < n ? started(waiting++) : lanes[--n_lanes];
      }
    }
  }

  WalkSource source_;
  double unit_;
  bool missing_;
  Jumps<SumState> jumps_;
  std::unique_ptr<StepFunctions> step_functions_;  // where all is evaluated and all are stumps
  mutable std::tuple<Lazy<float>, Lazy<double>> forms_;
};

}  // namespace mddag
