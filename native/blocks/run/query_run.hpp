// QueryRun: whole queries go through check points block by block. The documents of a block evaluate
// the same few base classifiers at once; at a check point each query lets some of its documents
// quit, and the others move together. Tests: tests/ranking/test_serving.py.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "blocks/kernels/kernels.hpp"
#include "blocks/plan/flat_forest.hpp"
#include "blocks/plan/plan_of_steps.hpp"
#include "blocks/ranks/quantizer.hpp"
#include "blocks/ranks/rank_loader.hpp"
#include "blocks/run/query_decisions.hpp"
#include "blocks/run/workspace.hpp"
#include "internal/aligned.hpp"

namespace mddag::blocks {

// What all threads share.
struct QueryPlan {
  const Kernels& kernels;
  const FlatForest& forest;
  const Quantizer& quantizer;
  const PlanOfSteps& steps;
  const QueryDecisions& decisions;
  double unit;
  const std::uint8_t* leaf_tables;
  std::size_t block_rows;
};

template <class T>
class QueryRun {
 public:
  QueryRun(const QueryPlan& plan, const Rows<T>& rows)
      : plan_(plan),
        rows_(rows),
        loader_(plan.quantizer, plan.kernels, rows, stride_of(plan.block_rows)),
        work_(plan.quantizer.n_columns(), 1, plan.block_rows, plan.kernels.lanes),
        numbers_(plan.decisions.numbers()),
        row_(work_.stride),
        stays_(work_.stride),
        masks_(work_.stride / 8),
        blocks_(plan.decisions.n_checks() * plan.block_rows),
        spread_(plan.block_rows),
        number_(plan.block_rows),
        alive_(plan.block_rows) {}

  // Queries whose documents are the rows starts[0] .. starts[n_queries], at most block_rows of
  // them; readings and steps at the exits into reading and exit_step, by row of the batch.
  void run(const std::int64_t* starts, std::size_t n_queries, double* reading,
           std::int32_t* exit_step) {
    first_ = static_cast<std::size_t>(starts[0]);
    n_ = n_alive_ = static_cast<std::size_t>(starts[n_queries]) - first_;
    whole_ = true;
    n_loaded_ = 0;
    loaded_.clear();
    std::iota(row_.data(), row_.data() + n_, 0);
    std::fill(alive_.begin(), alive_.begin() + static_cast<std::ptrdiff_t>(n_), 1);
    std::size_t step = 0;
    const std::size_t n_checks = plan_.decisions.n_checks();
    for (std::size_t c = 0; c < n_checks && n_alive_ > 0; ++c) {
      if (3 * n_alive_ <= 2 * n_) pack();
      const std::size_t end = plan_.decisions.check(c);
      evaluate(step, end);
      step = end;
      read(c, end, reading + first_, exit_step + first_);
      if (c + 1 < n_checks && plan_.decisions.decides(c))
        decide(c, starts, n_queries, reading + first_);
    }
  }

 private:
  void evaluate(std::size_t a, std::size_t b) {
    load(b);
    std::fill_n(work_.sums.data(), n_, 0);
    plan_.steps.evaluate(a, b, plan_.kernels, work_.lanes(n_, plan_.leaf_tables),
                         [&](std::size_t t) { walk(t); });
  }

  void walk(std::size_t t) {
    const auto row = [&](std::size_t i) {
      return first_ + static_cast<std::size_t>(row_.data()[i]);
    };
    plan_.forest.walk(t, rows_, n_, row, work_.sums.data(), work_.stride);
  }

  // Quantizes what the steps before b read, and what is likely to be read soon (exit_run.hpp).
  void load(std::size_t b) {
    if (b <= n_loaded_) return;
    b = std::min(2 * b, plan_.steps.size());
    const std::vector<std::size_t> numbers = plan_.steps.first_read(n_loaded_, b);
    n_loaded_ = b;
    loaded_.insert(loaded_.end(), numbers.begin(), numbers.end());
    if (whole_)
      loader_.load(loader_.plan(numbers), first_, n_, work_.ranks.data());
    else
      loader_.load(numbers, first_, row_.data(), n_, work_.ranks.data());
  }

  // The readings of documents under way at check point c, before step `step`.
  void read(std::size_t c, std::size_t step, double* reading, std::int32_t* exit_step) {
    const std::size_t stride = plan_.block_rows;
    for (std::size_t lane = 0; lane < n_; ++lane) {
      const auto i = static_cast<std::size_t>(row_.data()[lane]);
      if (!alive_[i]) continue;
      blocks_[c * stride + i] = work_.sums.data()[lane] * plan_.unit;
      reading[i] = plan_.decisions.reading(blocks_.data() + i, stride, c);
      spread_[i] = plan_.decisions.spread(reading[i], c);
      exit_step[i] = static_cast<std::int32_t>(step);
    }
  }

  void decide(std::size_t c, const std::int64_t* starts, std::size_t n_queries,
              const double* reading) {
    const Decided decided = plan_.decisions.decided(c);
    for (std::size_t q = 0; q < n_queries; ++q) {
      const std::size_t a = static_cast<std::size_t>(starts[q]) - first_;
      const std::size_t n = static_cast<std::size_t>(starts[q + 1]) - first_ - a;
      std::uint8_t* alive = alive_.data() + a;
      if (std::none_of(alive, alive + n, [](std::uint8_t x) { return x != 0; })) continue;
      numbers_(reading + a, spread_.data() + a, alive, n, number_.data(), decided);
      for (std::size_t i = 0; i < n; ++i)
        if (alive[i] && plan_.decisions.quits(number_[i], c)) {
          alive[i] = 0;
          --n_alive_;
        }
    }
  }

  // Moves the documents that have not quit together.
  void pack() {
    constexpr std::int32_t gone = 0;
    const std::size_t n = (n_ + kExitChunk - 1) / kExitChunk * kExitChunk;
    for (std::size_t lane = 0; lane < n_; ++lane)
      stays_.data()[lane] = alive_[static_cast<std::size_t>(row_.data()[lane])];
    std::fill(stays_.data() + n_, stays_.data() + n, gone);
    plan_.kernels.mask_other(stays_.data(), n, gone, masks_.data());
    plan_.kernels.pack_words(masks_.data(), n / 8, row_.data(), row_.data());
    for (const std::size_t number : loaded_) {
      const std::size_t column = plan_.quantizer.first_column(number);
      const std::size_t end = column + plan_.quantizer.features()[number].n_columns();
      for (std::size_t k = column; k < end; ++k)
        plan_.kernels.pack_bytes(masks_.data(), n / 8, work_.ranks.data() + k * work_.stride);
    }
    whole_ = whole_ && n_alive_ == n_;
    n_ = n_alive_;
  }

  const QueryPlan& plan_;
  const Rows<T> rows_;
  RankLoader<T> loader_;
  Workspace work_;
  NumbersOfQuery numbers_;
  Aligned<std::int32_t> row_, stays_;  // by lane: row of the block, whether it stays
  Aligned<std::uint8_t> masks_;
  std::vector<double> blocks_, spread_, number_;  // by row of the block
  std::vector<std::uint8_t> alive_;
  std::size_t first_ = 0, n_ = 0, n_alive_ = 0, n_loaded_ = 0;
  bool whole_ = true;
  std::vector<std::size_t> loaded_;  // features
};

}  // namespace mddag::blocks
