// The best split of a node over all candidate columns.
//
// Columns with few codes ("narrow") are taken in groups: a stretch of rows of q passes through the
// histograms of the whole group while it is in cache. Their histograms may be kept, so that a
// sibling's is a difference. Columns with many codes ("wide") are taken one by one; in a small node
// only their bins that hold a row are read. The outcome depends neither on groups nor on
// threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "boosting/columns.hpp"
#include "boosting/histogram.hpp"
#include "boosting/nominal.hpp"
#include "boosting/signed_weights.hpp"
#include "boosting/split.hpp"
#include "internal/parallel.hpp"

namespace mddag {

// The rows of a node. Their q stand together, from `begin` on; `rows` are the places of their
// codes.
struct NodeRows {
  const std::uint32_t* rows;  // nullptr: every row, in order
  std::size_t begin;
  std::size_t size;
};

template <class Code, class Votes>
class Search {
 public:
  Search(const Columns<Code>& columns, const SignedWeights& weights, int n_threads)
      : columns_(columns), weights_(weights), n_threads_(std::max(n_threads, 1)) {
    std::size_t most_wide = 0;
    for (std::size_t c = 0; c < columns.candidates.size; ++c) {
      const auto f = static_cast<std::size_t>(columns.candidates[c]);
      const std::size_t n_bins = columns.n_bins(f);
      if (n_bins < 2) continue;  // nothing to split
      if (n_bins > kNarrow) {
        wide_.push_back(f);
        most_wide = std::max(most_wide, n_bins);
        continue;
      }
      narrow_.push_back({f, kept_size_});
      kept_size_ += n_bins * weights.width;
    }
    group_ = std::clamp<std::size_t>(kCache / (256 * 8 * weights.width), 1, 16);
    if (n_threads_ > 1)  // several groups for each thread, so that they end at about the same time
      group_ = std::min(group_, narrow_.size() / (4 * static_cast<std::size_t>(n_threads_)) + 1);
    scratch_.resize(static_cast<std::size_t>(n_threads_));
    for (Scratch& scratch : scratch_) {
      scratch.banks.resize(kMostBankEntries);
      scratch.wide.resize(most_wide * weights.width);
      scratch.marks.resize(most_wide + 8);
      scratch.bins.resize(most_wide + 8);
    }
  }

  // Entries that the histograms of all narrow columns take.
  std::size_t kept_size() const { return kept_size_; }

  // kept : kept_size() entries for the narrow histograms, already filled if `filled`; or nullptr.
  Split best(const NodeRows& node, const std::vector<std::int64_t>& total, std::int64_t* kept,
             bool filled) {
    Split none{Votes::to_beat(constant_criterion(total))};
    const std::size_t n_groups = (narrow_.size() + group_ - 1) / group_;
    const std::size_t n_items = n_groups + wide_.size();
    const bool small = node.size * columns_.candidates.size * weights_.width < kWorthThreads;
    const std::size_t n_workers =
        small ? 1 : std::min<std::size_t>(n_items, static_cast<std::size_t>(n_threads_));
    std::vector<Split> bests(std::max<std::size_t>(n_workers, 1), none);
    std::atomic<std::size_t> next{0};
    parallel_for(n_workers, n_threads_, [&](std::size_t worker) {
      for (std::size_t item = next++; item < n_items; item = next++) {
        if (item < n_groups)
          search_group(item, node, total, kept, filled, scratch_[worker], bests[worker]);
        else
          search_wide(wide_[item - n_groups], node, total, scratch_[worker], bests[worker]);
      }
    });
    for (Split& split : bests)
      if (split.better_than(none)) none = std::move(split);
    return none;
  }

 private:
  static constexpr std::size_t kNarrow = 256;            // bins
  static constexpr std::size_t kCache = 256 * 1024;      // bytes for the histograms of a group
  static constexpr std::size_t kStretch = 16 * 1024;     // entries of q that pass together
  static constexpr std::size_t kWorthThreads = 1 << 17;  // entries; fewer take less than a start

  struct Narrow {
    std::size_t feature;
    std::size_t offset;  // of its histogram among the kept ones
  };

  struct Scratch {
    std::vector<std::int64_t> hist;   // of a group
    std::vector<std::int64_t> banks;  // zeros between uses
    std::vector<std::int64_t> wide;   // zeros between uses
    std::vector<std::uint8_t> marks;  // zeros between uses
    std::vector<std::uint32_t> bins;
    std::vector<std::int64_t> criteria;
  };

  void search_group(std::size_t group, const NodeRows& node, const std::vector<std::int64_t>& total,
                    std::int64_t* kept, bool filled, Scratch& scratch, Split& best) const {
    const std::size_t first = group * group_, last = std::min(first + group_, narrow_.size());
    const std::size_t begin = narrow_[first].offset;
    const std::size_t end = last < narrow_.size() ? narrow_[last].offset : kept_size_;
    if (kept == nullptr && scratch.hist.size() < end - begin) scratch.hist.resize(end - begin);
    std::int64_t* hist = kept ? kept + begin : scratch.hist.data();
    if (!filled) {
      std::fill(hist, hist + (end - begin), 0);
      if (node.rows == nullptr)
        fill_group(first, last, EveryRow{}, node, hist, scratch.banks.data());
      else
        fill_group(first, last, ChosenRows{node.rows}, node, hist, scratch.banks.data());
    }
    for (std::size_t c = first; c < last; ++c)
      search_column(narrow_[c].feature,
                    histogram(narrow_[c].feature, hist + (narrow_[c].offset - begin)), total,
                    scratch.criteria, best);
  }

  // hist : the histograms of narrow columns first .. last - 1, zeros on entry.
  template <class Row>
  void fill_group(std::size_t first, std::size_t last, Row row, const NodeRows& node,
                  std::int64_t* hist, std::int64_t* banks) const {
    const std::size_t step = kStretch / weights_.blocks[0].width;
    for (std::size_t i = 0; i < node.size; i += step) {
      const std::size_t n = std::min(step, node.size - i);
      const auto from_i = [&](std::size_t j) { return row(i + j); };
      for (const ClassBlock& block : weights_.blocks) {
        const std::int64_t* q = weights_.rows_of(block) + (node.begin + i) * block.width;
        for (std::size_t c = first; c < last; ++c) {
          const std::size_t n_bins = columns_.n_bins(narrow_[c].feature);
          std::int64_t* out = hist + (narrow_[c].offset - narrow_[first].offset);
          with_width(block.width, [&](auto width) {
            add_rows<decltype(width)::value>(columns_.column(narrow_[c].feature), from_i, q, n,
                                             out + block.first * n_bins, n_bins, banks);
          });
        }
      }
    }
  }

  void search_wide(std::size_t f, const NodeRows& node, const std::vector<std::int64_t>& total,
                   Scratch& scratch, Split& best) const {
    const std::size_t n_bins = columns_.n_bins(f);
    // Few rows: only the bins that hold one are read, and bin 0, since a cut below all present
    // values parts them from the missing ones.
    const bool few = node.size < n_bins / 2 && !columns_.nominal[f];
    if (few) scratch.marks[0] = 1;
    if (node.rows == nullptr)
      fill_wide(f, EveryRow{}, node, scratch, few);
    else
      fill_wide(f, ChosenRows{node.rows}, node, scratch, few);
    const Histogram hist = histogram(f, scratch.wide.data());
    if (!few) {
      search_column(f, hist, total, scratch.criteria, best);
      std::fill_n(scratch.wide.begin(), n_bins * weights_.width, 0);
      return;
    }
    std::uint32_t* bins = scratch.bins.data();
    const std::size_t n_listed = take_marked(scratch.marks.data(), n_bins, bins);
    const std::size_t n_cuts = n_listed - (bins[n_listed - 1] == hist.n_codes ? 1 : 0);
    search_cuts<Votes>(hist, weights_.blocks, total, static_cast<std::int32_t>(f),
                       ListedBins{bins, n_cuts}, scratch.criteria, best);
    for (const ClassBlock& block : weights_.blocks) {
      std::int64_t* sums = scratch.wide.data() + block.first * n_bins;
      for (std::size_t j = 0; j < n_listed; ++j)
        std::fill_n(sums + bins[j] * block.width, block.width, 0);
    }
  }

  template <class Row>
  void fill_wide(std::size_t f, Row row, const NodeRows& node, Scratch& scratch, bool few) const {
    const Code* codes = columns_.column(f);
    const std::size_t n_bins = columns_.n_bins(f);
    for (const ClassBlock& block : weights_.blocks) {
      const std::int64_t* q = weights_.rows_of(block) + node.begin * block.width;
      std::int64_t* hist = scratch.wide.data() + block.first * n_bins;
      with_width(block.width, [&](auto width) {
        constexpr std::size_t W = decltype(width)::value;
        if (few)
          add_rows_marking<W>(codes, row, q, node.size, hist, scratch.marks.data());
        else
          add_rows<W>(codes, row, q, node.size, hist, n_bins, scratch.banks.data());
      });
    }
  }

  Histogram histogram(std::size_t f, const std::int64_t* sums) const {
    return {sums, static_cast<std::size_t>(columns_.n_codes[f]), columns_.missing[f]};
  }

  void search_column(std::size_t f, const Histogram& hist, const std::vector<std::int64_t>& total,
                     std::vector<std::int64_t>& criteria, Split& best) const {
    const auto feature = static_cast<std::int32_t>(f);
    if (columns_.nominal[f])
      SetSearch<Votes>(hist, weights_.blocks, weights_.n_classes, total).take(feature, best);
    else
      search_cuts<Votes>(hist, weights_.blocks, total, feature, EveryBin{hist.n_codes}, criteria,
                         best);
  }

  Columns<Code> columns_;
  const SignedWeights& weights_;
  int n_threads_;
  std::vector<Narrow> narrow_;
  std::vector<std::size_t> wide_;
  std::size_t kept_size_ = 0;
  std::size_t group_;
  std::vector<Scratch> scratch_;
};

}  // namespace mddag
