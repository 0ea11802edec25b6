// ExitRun: rows go through the decisions of a policy block by block. All rows of a block evaluate
// the same few base classifiers at once; those that quit are taken out, and the others move
// together. Twin: tests/reference/trees.py.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "blocks/kernels/kernels.hpp"
#include "blocks/plan/flat_forest.hpp"
#include "blocks/plan/plan_of_steps.hpp"
#include "blocks/ranks/quantizer.hpp"
#include "blocks/ranks/rank_loader.hpp"
#include "blocks/run/decisions.hpp"
#include "blocks/run/exit_lanes.hpp"
#include "blocks/run/workspace.hpp"

namespace mddag::blocks {

// What all threads share.
struct ExitPlan {
  const Kernels& kernels;
  const FlatForest& forest;
  const Quantizer& quantizer;
  const PlanOfSteps& steps;
  const Decisions& decisions;
  const std::vector<std::int32_t>& bias;
  const std::uint8_t* leaf_tables;
  std::size_t block_rows;
};

template <class T>
class ExitRun {
 public:
  ExitRun(const ExitPlan& plan, const Rows<T>& rows)
      : plan_(plan),
        rows_(rows),
        loader_(plan.quantizer, plan.kernels, rows, stride_of(plan.block_rows)),
        work_(plan.quantizer.n_columns(), plan.bias.size(), plan.block_rows, plan.kernels.lanes),
        lanes_(plan.kernels, plan.decisions, work_.sums.data(), work_.stride) {}

  // Rows first .. first + n; done(row, lanes, lane, exit_step) is called once for each, in any
  // order.
  template <class Done>
  void run(std::size_t first, std::size_t n, const Done& done) {
    const auto n_steps = plan_.decisions.n_steps(), every = plan_.decisions.every();
    const auto report = [&](std::size_t row, std::size_t lane, std::size_t exit_step) {
      done(first + row, lanes_, lane, exit_step);
    };
    n_steps_loaded_ = 0;
    loaded_.clear();
    work_.start(plan_.bias, n);
    lanes_.start(n, report);
    while (lanes_.n_alive() > 0) {
      if (3 * lanes_.n_alive() <= 2 * lanes_.size()) pack();
      const std::size_t a = lanes_.soonest(), b = std::min(a + every, n_steps);
      evaluate(first, a, b);
      lanes_.leave(a, b, report);
    }
  }

 private:
  void evaluate(std::size_t first, std::size_t a, std::size_t b) {
    load(first, b);
    lanes_.enter();
    plan_.steps.evaluate(a, b, plan_.kernels, work_.lanes(lanes_.size(), plan_.leaf_tables),
                         [&](std::size_t t) { walk(t, first); });
  }

  void walk(std::size_t t, std::size_t first) {
    const auto row = [&](std::size_t i) {
      return first + static_cast<std::size_t>(lanes_.rows()[i]);
    };
    plan_.forest.walk(t, rows_, lanes_.size(), row, work_.sums.data(), work_.stride);
  }

  // Quantizes what the steps before b read and is not there yet, for the rows still here, and what
  // is likely to be read soon: to read the memory of rows again for every step costs more than to
  // rank some values in vain. Rows that have come so far are expected to go as far again.
  void load(std::size_t first, std::size_t b) {
    if (b <= n_steps_loaded_) return;
    const std::size_t soon = lanes_.are_whole() ? plan_.decisions.expected_steps() : 2 * b;
    b = std::min(std::max(b, soon), plan_.decisions.n_steps());
    const std::vector<std::size_t> numbers = plan_.steps.first_read(n_steps_loaded_, b);
    n_steps_loaded_ = b;
    loaded_.insert(loaded_.end(), numbers.begin(), numbers.end());
    if (lanes_.are_whole())
      loader_.load(loader_.plan(numbers), first, lanes_.size(), work_.ranks.data());
    else
      loader_.load(numbers, first, lanes_.rows(), lanes_.size(), work_.ranks.data());
  }

  void pack() {
    const Span<const std::uint8_t> masks = lanes_.pack();
    for (const std::size_t number : loaded_) {
      const std::size_t column = plan_.quantizer.first_column(number);
      const std::size_t end = column + plan_.quantizer.features()[number].n_columns();
      for (std::size_t c = column; c < end; ++c)
        plan_.kernels.pack_bytes(masks.data, masks.size, work_.ranks.data() + c * work_.stride);
    }
  }

  const ExitPlan& plan_;
  const Rows<T> rows_;
  RankLoader<T> loader_;
  Workspace work_;
  ExitLanes lanes_;
  std::size_t n_steps_loaded_ = 0;
  std::vector<std::size_t> loaded_;  // features
};

}  // namespace mddag::blocks
