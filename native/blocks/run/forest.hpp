// Forest: an ensemble made ready to be evaluated on many rows at once. It owns all that it needs.
//
//   sums[i, k] = bias[k] + sum over the trees t that vote for k of votes_t[leaf of row i]
//
// in integers, so that neither the order of trees nor the size of blocks nor the number of threads
// changes a bit. Twin: tests/reference/trees.py.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "blocks/kernels/kernels.hpp"
#include "blocks/kernels/shapes.hpp"
#include "blocks/plan/flat_forest.hpp"
#include "blocks/plan/plan_of_all.hpp"
#include "blocks/plan/plan_of_steps.hpp"
#include "blocks/ranks/quantizer.hpp"
#include "blocks/ranks/rank_loader.hpp"
#include "blocks/run/decisions.hpp"
#include "blocks/run/exit_run.hpp"
#include "blocks/run/query_run.hpp"
#include "blocks/run/row_blocks.hpp"
#include "blocks/run/workspace.hpp"
#include "ensemble/table_fault.hpp"
#include "internal/span.hpp"
#include "levels/level.hpp"

namespace mddag::blocks {

MDDAG_KERNELS_OF_LEVELS

class Forest {
  // Rows of a block: few enough that their ranks stay in the nearest caches, and with early exits
  // up to four times as many, so that the rows that are left still fill the lanes. More of them
  // make calls of a tree's kernel rarer.
  static constexpr std::size_t kRows = 1024, kRowsOfFewColumns = 2048, kFewColumns = 64;
  static constexpr std::size_t kExitRows = 4 * kRows, kExitBytes = 1 << 19;

 public:
  // order: base classifiers as a policy takes them; rounds groups trees into base classifiers.
  Forest(const Trees& trees, Span<const std::int32_t> values, Span<const std::int64_t> starts,
         Span<const std::int32_t> score, Span<const std::int64_t> rounds,
         Span<const std::int32_t> bias, double unit, Span<const std::int64_t> order,
         NamedLevel level)
      : level_(level),
        kernels_(kernels_of(level.level)),
        bias_(owned(bias)),
        unit_(unit),
        flat_(trees, values, starts, score, bias.size),
        quantizer_(flat_.splits(), flat_.words()),
        block_rows_(quantizer_.n_columns() <= kFewColumns ? kRowsOfFewColumns : kRows),
        all_(flat_, quantizer_, stride_of(block_rows_), kernels_.has_pairs),
        exit_rows_(std::clamp(kExitBytes / (quantizer_.n_columns() + 1) / kRows * kRows, kRows,
                              kExitRows)),
        steps_(flat_, quantizer_, stride_of(exit_rows_), rounds, order, kernels_.has_pairs),
        leaf_tables_(leaf_tables()) {}

  const char* level() const { return level_.name; }
  std::size_t n_scores() const { return bias_.size(); }

  // out : (n_rows, n_scores), int32 sums or float64 scores.
  template <class T, class Out>
  void scores(const Rows<T>& rows, Out* out, int n_threads) const {
    const std::vector<std::size_t> features = all_features();
    for_blocks_of_rows(rows.n_rows, block_rows_, n_threads, [&](auto blocks) {
      Workspace work(quantizer_.n_columns(), n_scores(), block_rows_, kernels_.lanes);
      RankLoader<T> loader(quantizer_, kernels_, rows, work.stride);
      const LoadPlan plan = loader.plan(features);
      blocks([&](std::size_t first, std::size_t n) {
        loader.load(plan, first, n, work.ranks.data());
        work.start(bias_, n);
        all_.evaluate(kernels_, work.lanes(n, leaf_tables_.data()), [&](std::size_t t) {
          const auto row = [&](std::size_t i) { return first + i; };
          flat_.walk(t, rows, n, row, work.sums.data(), work.stride);
        });
        for (std::size_t k = 0; k < n_scores(); ++k)
          for (std::size_t i = 0; i < n; ++i)
            write(work.sums.data()[k * work.stride + i], out[(first + i) * n_scores() + k]);
      });
    });
  }

  // Throws unless the decisions are about this forest's steps and scores.
  void require(const Decisions& decisions) const {
    if (decisions.n_steps() != steps_.size() || decisions.n_scores() != n_scores())
      refuse("the decisions are not of this forest's steps and scores");
  }

  // The rows through a policy: out as above; exit_step (n_rows,), one behind the last step that a
  // row evaluates, or null.
  template <class T, class Out>
  void run_blocks(const Rows<T>& rows, const Decisions& decisions, Out* out,
                  std::int32_t* exit_step, int n_threads) const {
    const ExitPlan plan{kernels_,  flat_, quantizer_,          steps_,
                        decisions, bias_, leaf_tables_.data(), exit_rows_};
    for_blocks_of_rows(rows.n_rows, exit_rows_, n_threads, [&](auto blocks) {
      ExitRun<T> run(plan, rows);
      blocks([&](std::size_t first, std::size_t n) {
        run.run(first, n,
                [&](std::size_t i, const ExitLanes& lanes, std::size_t lane, std::size_t step) {
                  for (std::size_t k = 0; k < n_scores(); ++k)
                    write(lanes.sum(lane, k), out[i * n_scores() + k]);
                  if (exit_step) exit_step[i] = static_cast<std::int32_t>(step);
                });
      });
    });
  }

  // Documents of a query that fit into a block.
  std::size_t most_documents() const { return exit_rows_; }

  // The rows through a policy over queries, starts (n_queries + 1,) rising from 0 to n_rows, none
  // with more documents than most_documents(): readings and steps at the exits, (n_rows,).
  template <class T>
  void run_queries(const Rows<T>& rows, Span<const std::int64_t> starts,
                   const QueryDecisions& decisions, double* reading, std::int32_t* exit_step,
                   int n_threads) const {
    if (n_scores() != 1 || decisions.check(decisions.n_checks() - 1) != steps_.size())
      refuse("the decisions are not of this forest's steps and its one score");
    const std::vector<std::size_t> firsts = blocks_of(starts);  // queries
    const QueryPlan plan{kernels_,  flat_, quantizer_,          steps_,
                         decisions, unit_, leaf_tables_.data(), exit_rows_};
    const std::size_t n_blocks = firsts.size() - 1;
    const auto n_workers = std::min(n_blocks, static_cast<std::size_t>(std::max(n_threads, 1)));
    BlockQueue queue(n_blocks, std::max<std::size_t>(n_workers, 1));
    parallel_for(n_workers, n_threads, [&](std::size_t) {
      BlockQueue::Stretch taken = queue.take();
      if (taken.begin == taken.end) return;
      QueryRun<T> run(plan, rows);
      for (; taken.begin < taken.end; taken = queue.take())
        for (std::size_t b = taken.begin; b < taken.end; ++b)
          run.run(starts.data + firsts[b], firsts[b + 1] - firsts[b], reading, exit_step);
    });
  }

 private:
  // Where blocks of whole queries begin, and the end; throws where one has too many documents.
  std::vector<std::size_t> blocks_of(Span<const std::int64_t> starts) const {
    std::vector<std::size_t> firsts{0};
    const std::size_t n_queries = starts.size - 1;
    for (std::size_t q = 0; q < n_queries; ++q) {
      const auto size = [&](std::size_t from) {
        return static_cast<std::size_t>(starts[q + 1] - starts[from]);
      };
      if (size(q) > exit_rows_) refuse("a query has more documents than a block has rows");
      if (size(firsts.back()) > exit_rows_) firsts.push_back(q);
    }
    if (n_queries > 0) firsts.push_back(n_queries);
    return firsts;
  }

  void write(std::int32_t sum, std::int32_t& out) const { out = sum; }
  void write(std::int32_t sum, double& out) const { out = sum * unit_; }

  std::vector<std::size_t> all_features() const {
    std::vector<std::size_t> numbers(quantizer_.features().size());
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    return numbers;
  }

  static std::vector<std::uint8_t> leaf_tables() {
    std::vector<std::uint8_t> tables;
    for (const Shape shape : kAllShapes)
      for (int answers = 0; answers < 128; ++answers) tables.push_back(leaf_of(shape, answers));
    return tables;
  }

  NamedLevel level_;
  Kernels kernels_;
  std::vector<std::int32_t> bias_;
  double unit_;
  FlatForest flat_;
  Quantizer quantizer_;
  std::size_t block_rows_;
  PlanOfAll all_;
  std::size_t exit_rows_;
  PlanOfSteps steps_;
  std::vector<std::uint8_t> leaf_tables_;
};

}  // namespace mddag::blocks
