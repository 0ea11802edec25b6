// The row walk: each row goes through the jump table at its own pace, evaluating what it needs.
//
//   for (j = next(0, f); j < N; j = next(j + 1, f))  f += h_j(x)
//
// Sums are integers, so the answer does not depend on the number of threads, on which rows go
// together, or on whether a row comes alone. Walk is that of the paper's state, StageWalk that of
// score columns by stage. Several rows take their steps in turn, so that the latency of one step
// hides behind the others. Twin: tests/reference/rollout.py, on votes that are whole multiples of
// the unit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "ensemble/table_fault.hpp"
#include "ensemble/trees.hpp"
#include "internal/parallel.hpp"
#include "walk/jumps.hpp"
#include "walk/key_trees.hpp"
#include "walk/paths.hpp"
#include "walk/state.hpp"
#include "walk/step_functions.hpp"
#include "walk/turns.hpp"
#include "walk/verdicts.hpp"
#include "walk/walk_source.hpp"
#include "walk/walked_trees.hpp"

namespace mddag {

// Where a row is: the step that it evaluates next, and its exit step so far.
struct Standing {
  std::size_t step, exit;
};

template <class State>
class BasicWalk {
 public:
  // unit : what an integer stands for; missing : whether a row may hold NaN (batches are checked
  // before they come here); verdicts : null where scores decide on classes. The rest as in
  // WalkSource and Jumps.
  BasicWalk(WalkSource&& source, double unit, State&& state, Jumps<State>&& jumps, bool missing,
            std::unique_ptr<Verdicts>&& verdicts)
      : source_(std::move(source)),
        unit_(unit),
        missing_(missing),
        state_(std::move(state)),
        jumps_(std::move(jumps)),
        verdicts_(std::move(verdicts)) {
    if (source_.n_features > kMostFeatures) refuse("rows have more columns than tests can number");
    if (kSums && jumps_.evaluates_all()) step_functions_ = StepFunctions::of(source_);
  }

  BasicWalk(const BasicWalk&) = delete;  // forms refer to the source

  std::size_t n_features() const { return source_.n_features; }
  std::size_t n_scores() const { return source_.n_scores(); }
  std::size_t n_steps() const { return source_.n_steps(); }

  // What a row carries is of this width; f : (n, width).
  std::size_t width() const { return state_.width(); }
  void start(std::size_t n, std::int32_t* f) const { state_.start(source_.bias.data(), n, f); }

  // Takes a row that carries f on from where it stands, to the first step that may(step) refuses or
  // to its end, N. Before any step it stands at first_step(f).
  template <class T, class May>
  void go_on(const T* x, Standing& at, std::int32_t* f, const May& may) const {
    with_votes<T>([&](const auto& votes) {
      while (at.step < n_steps() && may(at.step)) {
        votes.add(at.step, x, f);
        state_.evaluated(at.step, f);
        at.exit = at.step + 1;
        at.step = next(at.exit, f);
      }
    });
  }
  std::size_t first_step(const std::int32_t* f) const { return next(0, f); }

  // The scores (K,) of what a row carries, and its class; by its scores alone if it was stopped
  // before the policy let it quit.
  std::int64_t end(std::size_t exit, const std::int32_t* f, bool stopped, double* scores) const {
    state_.scores(f, 1, unit_, scores);
    return stopped ? code_by_scores(exit, f) : code_of(exit, f);
  }

  // The class of one row: its verdict, or by its scores: with one, whether it is above 0; else the
  // first of the best.
  template <class T>
  std::int64_t code(const T* x) const {
    return carried(x, [&](const std::int32_t* f, std::size_t exit) { return code_of(exit, f); });
  }

  // The scores (K,) of one row; its exit step is returned, as `exits` gives it.
  template <class T>
  std::size_t exit_of(const T* x, double* scores) const {
    return carried(x, [&](const std::int32_t* f, std::size_t exit) {
      state_.scores(f, 1, unit_, scores);
      return exit;
    });
  }

  // scores : (n, K).
  template <class T>
  void scores(const Rows<T>& rows, double* scores, int n_threads) const {
    for_row_blocks(rows, kPathBlock, n_threads, [&](const T* x, std::size_t first, std::size_t n) {
      double* out = scores + first * n_scores();
      std::vector<std::int32_t> f(n * n_scores());
      if (all_sums(x, n, f.data()))
        state_.scores(f.data(), n, unit_, out);
      else
        follow(x, n, out, [](std::size_t, std::size_t) {});
    });
  }

  // exit_step : (n,), one more than the last step that evaluates; it holds zeros on entry.
  // codes : (n,), the classes, or null.
  template <class T>
  void exits(const Rows<T>& rows, double* scores, std::int32_t* exit_step, std::int64_t* codes,
             int n_threads) const {
    for_row_blocks(rows, kPathBlock, n_threads, [&](const T* x, std::size_t first, std::size_t n) {
      const auto f = follow(x, n, scores + first * n_scores(), [&](std::size_t i, std::size_t j) {
        exit_step[first + i] = static_cast<std::int32_t>(j) + 1;
      });
      write_codes(f, exit_step + first, n, codes == nullptr ? nullptr : codes + first);
    });
  }

  // The same, with the paths. costs : (N,), of the base classifiers of the source; cost : (n,), it
  // holds zeros on entry.
  template <class T>
  Paths run(const Rows<T>& rows, const double* costs, double* scores, std::int32_t* exit_step,
            double* cost, std::int64_t* codes, int n_threads) const {
    std::vector<std::vector<std::int32_t>> indices((rows.n_rows + kPathBlock - 1) / kPathBlock);
    std::vector<std::int32_t> n_evaluated(rows.n_rows, 0);
    for_row_blocks(rows, kPathBlock, n_threads, [&](const T* x, std::size_t first, std::size_t n) {
      std::vector<Visited> visits;
      const auto f = follow(x, n, scores + first * n_scores(), [&](std::size_t i, std::size_t j) {
        const std::int64_t h = source_.order[j];
        ++n_evaluated[first + i];
        exit_step[first + i] = static_cast<std::int32_t>(j) + 1;
        cost[first + i] += costs[h];
        visits.push_back({i, static_cast<std::int32_t>(h)});
      });
      write_codes(f, exit_step + first, n, codes == nullptr ? nullptr : codes + first);
      indices[first / kPathBlock] = by_row(visits, n, n_evaluated.data() + first);
    });
    return {std::move(n_evaluated), joined(std::move(indices))};
  }

 private:
  static constexpr bool kSums = std::is_same_v<State, SumState>;

  template <class Form>
  struct Lazy {  // made when rows of its type first come
    std::once_flag once;
    std::unique_ptr<Form> trees;
  };

  template <class T>
  const KeyTrees<T>* key_trees() const {
    Lazy<KeyTrees<T>>& form = std::get<Lazy<KeyTrees<T>>>(forms_);
    std::call_once(form.once, [&] { form.trees = KeyTrees<T>::of(source_); });
    return form.trees.get();
  }

  // What one row carries at its end, and its exit step, are given to the body.
  template <class T, class Body>
  auto carried(const T* x, const Body& body) const {
    constexpr std::size_t kFew = 8;  // numbers that need no allocation
    std::int32_t few[kFew];
    if (state_.width() <= kFew) {
      const std::size_t exit = sums(x, few);
      return body(few, exit);
    }
    std::vector<std::int32_t> f(state_.width());
    const std::size_t exit = sums(x, f.data());
    return body(f.data(), exit);
  }

  // Carries one row to its end; its exit step is returned.
  template <class T>
  std::size_t sums(const T* x, std::int32_t* f) const {
    if (!missing_) refuse_missing(x);
    if (all_sums(x, 1, f)) return n_steps();
    state_.start(source_.bias.data(), 1, f);
    if (const KeyTrees<T>* trees = large_trees<T>())
      return walk_ahead(*trees, x, f, [](std::size_t) {});
    std::size_t exit = 0;
    with_votes<T>([&](const auto& votes) {
      for (std::size_t j = next(0, f); j < n_steps(); j = next(exit, f)) {
        votes.add(j, x, f);
        state_.evaluated(j, f);
        exit = j + 1;
      }
    });
    return exit;
  }

  // Trees that rows, one after the other, should be walked ahead in; null for others.
  template <class T>
  const KeyTrees<T>* large_trees() const {
    const KeyTrees<T>* trees = key_trees<T>();
    return trees != nullptr && trees->large() ? trees : nullptr;
  }

  // Carries a row that has been started to its end; its exit step is returned. visit(j) is called
  // for every evaluation.
  template <class T, class Visit>
  std::size_t walk_ahead(const KeyTrees<T>& trees, const T* x, std::int32_t* f,
                         const Visit& visit) const {
    std::size_t exit = 0, j = next(0, f);
    const auto go = [&](std::size_t n_most, const auto& add) {
      for (; j < n_steps() && n_most > 0; --n_most) {
        add(j);
        state_.evaluated(j, f);
        visit(j);
        exit = j + 1;
        j = next(exit, f);
      }
    };
    if (const std::size_t n_first = trees.n_without())
      with_votes<T>([&](const auto& votes) {
        go(n_first, [&](std::size_t step) { votes.add(step, x, f); });
      });
    if (j == n_steps()) return exit;
    const typename KeyTrees<T>::KeyRow keys(trees, x);
    typename KeyTrees<T>::Ahead ahead(trees, keys.data());
    go(n_steps(), [&](std::size_t step) { ahead.add(step, f); });
    return exit;
  }

  // The sums of n rows that evaluate all, (n, K); false if the policy does not, or steps must be
  // taken one by one.
  template <class T>
  bool all_sums(const T* x, std::size_t n, std::int32_t* f) const {
    if (!kSums || !jumps_.evaluates_all()) return false;
    if (step_functions_) {
      for (std::size_t i = 0; i < n; ++i)
        step_functions_->sums(x + i * n_features(), f + i * n_scores());
      return true;
    }
    const KeyTrees<T>* trees = key_trees<T>();
    if (trees == nullptr) return false;
    state_.start(source_.bias.data(), n, f);
    trees->add_all(x, n, n_features(), f);
    return true;
  }

  template <class T>
  void refuse_missing(const T* x) const {
    for (std::size_t c = 0; c < n_features(); ++c)
      if (x[c] != x[c])
        throw std::invalid_argument(
            "x contains NaN (column " + std::to_string(c) +
            "), but the model was trained without missing values; impute them first");
  }

  // The class of a row that carries f behind its last evaluation.
  std::int64_t code_of(std::size_t exit, const std::int32_t* f) const {
    if (verdicts_) {
      const std::int64_t verdict = verdicts_->of(state_, last_look(exit, f), f);
      if (verdict != Verdicts::kByScores) return verdict;
    }
    return code_by_scores(exit, f);
  }

  std::int64_t code_by_scores(std::size_t exit, const std::int32_t* f) const {
    if constexpr (!kSums) {
      const auto read = state_.at(exit, f);
      return n_scores() == 1 ? read.s > 0 : static_cast<std::int64_t>(read.part % n_scores());
    }
    if (n_scores() == 1) return *f > 0;
    return std::max_element(f, f + n_scores()) - f;
  }

  void write_codes(const std::vector<std::int32_t>& f, const std::int32_t* exit_step, std::size_t n,
                   std::int64_t* codes) const {
    for (std::size_t i = 0; codes != nullptr && i < n; ++i)
      codes[i] = code_of(static_cast<std::size_t>(exit_step[i]), f.data() + i * state_.width());
  }

  // The step that a row evaluates next; N where it quits. Where the state does not fold, the row is
  // looked at again at every step that a chain of SKIP leads to.
  std::size_t next(std::size_t step, const std::int32_t* f) const {
    auto to = static_cast<std::size_t>(jumps_.next(step, f));
    if constexpr (!State::kFolds) {
      while (to != step && to < n_steps()) {
        step = to;
        to = static_cast<std::size_t>(jumps_.next(step, f));
      }
    }
    return to;
  }

  // The last step at which a row is looked at that evaluates nothing more from a step on.
  std::size_t last_look(std::size_t step, const std::int32_t* f) const {
    if constexpr (!State::kFolds) {
      for (auto to = static_cast<std::size_t>(jumps_.next(step, f)); to < n_steps();
           to = static_cast<std::size_t>(jumps_.next(step, f)))
        step = to;
    }
    return step;
  }

  template <class T, class Body>
  void with_votes(const Body& body) const {
    Lazy<WalkedTrees<T>>& form = std::get<Lazy<WalkedTrees<T>>>(forms_);
    std::call_once(form.once, [&] { form.trees = std::make_unique<WalkedTrees<T>>(source_); });
    const WalkedTrees<T>& trees = *form.trees;
    if (trees.uniform(Form::stump)) return body(StumpVotes<T>{trees});
    if (trees.uniform(Form::bush)) return body(BushVotes<T>{trees});
    if (trees.uniform(Form::tree)) return body(TreeVotes<T, false>{trees});
    if (trees.uniform(Form::nominal)) return body(TreeVotes<T, true>{trees});
    body(trees);
  }

  // Takes n rows to their ends, and returns what they carry (n, width); visit(i, j) is called for
  // every evaluation, of each row in order.
  template <class T, class Visit>
  std::vector<std::int32_t> follow(const T* x, std::size_t n, double* scores,
                                   const Visit& visit) const {
    std::vector<std::int32_t> f(n * state_.width());
    state_.start(source_.bias.data(), n, f.data());
    if (const KeyTrees<T>* trees = large_trees<T>())
      for (std::size_t i = 0; i < n; ++i)
        walk_ahead(*trees, x + i * n_features(), f.data() + i * state_.width(),
                   [&](std::size_t j) { visit(i, j); });
    else
      with_votes<T>([&](const auto& votes) { take_turns(votes, x, n, f.data(), visit); });
    state_.scores(f.data(), n, unit_, scores);
    return f;
  }

  template <class Votes, class T, class Visit>
  void take_turns(const Votes& votes, const T* x, std::size_t n, std::int32_t* sums,
                  const Visit& visit) const {
    const std::size_t width = state_.width();
    const std::size_t begin = n == 0 ? n_steps() : next(0, sums);  // every row begins alike
    const auto started = [&](std::size_t row) {
      return Lane<T>{row, begin, x + row * n_features(), sums + row * width};
    };
    std::size_t n_lanes = begin < n_steps() ? std::min(n, kLanes) : 0, waiting = n_lanes;
    Lane<T> lanes[kLanes];
    for (std::size_t i = 0; i < n_lanes; ++i) lanes[i] = started(i);
    while (n_lanes > 0) {
      add_each(votes, lanes, n_lanes);
      for (std::size_t i = n_lanes; i-- > 0;) {
        Lane<T>& lane = lanes[i];
        state_.evaluated(lane.step, lane.f);
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
  State state_;
  Jumps<State> jumps_;
  std::unique_ptr<Verdicts> verdicts_;
  std::unique_ptr<StepFunctions> step_functions_;  // where all is evaluated and all are stumps
  mutable std::tuple<Lazy<WalkedTrees<float>>, Lazy<WalkedTrees<double>>, Lazy<KeyTrees<float>>,
                     Lazy<KeyTrees<double>>>
      forms_;
};

using Walk = BasicWalk<SumState>;
using StageWalk = BasicWalk<StageSumState>;

}  // namespace mddag
