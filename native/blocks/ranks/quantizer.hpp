// Quantizer: every feature as its rank among the thresholds that the ensemble itself has for it.
//
//   rank(x) = number of thresholds below x,   x <= t_i  if and only if  rank(x) <= i
//
// so that trees compare bytes, exactly, for float32 and float64 rows alike. A column of bytes
// separates 254 thresholds; a feature with more has several columns, each clamped to its own 254.
// NaN has the rank that sends it where the splits do; where splits disagree and no rank can, the
// feature has its columns twice: once with NaN below everything, once above. Sets of categories
// have columns of their own (set_columns.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "blocks/kernels/kernels.hpp"
#include "blocks/ranks/rank_table.hpp"
#include "blocks/ranks/set_columns.hpp"
#include "ensemble/node.hpp"
#include "ensemble/rounding.hpp"

namespace mddag::blocks {

// Where a split finds its answer: threshold > byte of the column.
struct Place {
  std::size_t column;
  std::int8_t threshold;
};

// The thresholds of one feature, and its columns.
class QuantizedFeature {
 public:
  QuantizedFeature(std::int32_t index, std::vector<const Node*> splits, const std::uint32_t* words)
      : index_(index),
        sets_(splits, words),
        thresholds_(distinct(splits)),
        float32_(rounded(thresholds_, rounded_down<float>)),
        nearest_(rounded(thresholds_, [](double t) { return static_cast<float>(t); })) {
    std::int32_t above_rights = 0, lowest_left = n_thresholds();
    for (const Node* split : splits) {
      if (split->n_words > 0) continue;
      const std::int32_t i = at(split->threshold);
      if (split->missing_left)
        lowest_left = std::min(lowest_left, i);
      else
        above_rights = std::max(above_rights, i + 1);
    }
    split_ways_ = above_rights > lowest_left;
    add_columns(split_ways_ ? 0 : above_rights);
    if (split_ways_) add_columns(n_thresholds());
  }

  std::int32_t index() const { return index_; }
  const std::vector<RankColumn>& columns() const { return columns_; }
  const SetColumns& sets() const { return sets_; }  // behind those
  std::size_t n_columns() const { return columns_.size() + sets_.size(); }

  // The grid of values of type T.
  template <class T>
  RankGrid grid() const {
    if constexpr (std::is_same_v<T, float>) return float32_.grid();
    RankGrid grid = nearest_.grid();
    grid.exact = thresholds_.data();
    return grid;
  }

  Place place(const Node& split) const {
    if (split.n_words > 0) return {columns_.size() + sets_.column(split), 0};
    const auto i = static_cast<std::size_t>(at(split.threshold));
    const bool second = split_ways_ && !split.missing_left;
    const std::size_t column = i / kMostRanks + (second ? columns_.size() / 2 : 0);
    return {column, static_cast<std::int8_t>(static_cast<int>(i % kMostRanks) + 1 - 128)};
  }

 private:
  static std::vector<double> distinct(const std::vector<const Node*>& splits) {
    std::vector<double> thresholds;
    for (const Node* split : splits)
      if (split->n_words == 0) thresholds.push_back(split->threshold + 0.0);
    std::sort(thresholds.begin(), thresholds.end());
    thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
    return thresholds;
  }

  template <class Round>
  static std::vector<float> rounded(const std::vector<double>& thresholds, const Round& round) {
    std::vector<float> floats(thresholds.size());
    std::transform(thresholds.begin(), thresholds.end(), floats.begin(), round);
    return floats;
  }

  std::int32_t n_thresholds() const { return static_cast<std::int32_t>(thresholds_.size()); }

  std::int32_t at(double threshold) const {
    return static_cast<std::int32_t>(
        std::lower_bound(thresholds_.begin(), thresholds_.end(), threshold) - thresholds_.begin());
  }

  void add_columns(std::int32_t missing) {
    for (std::int32_t first = 0; first < n_thresholds(); first += kMostRanks)
      columns_.push_back({first, missing});
  }

  std::int32_t index_;
  SetColumns sets_;
  std::vector<double> thresholds_;
  RankTable float32_;  // of thresholds rounded down: the same answers for every float32
  RankTable nearest_;
  std::vector<RankColumn> columns_;
  bool split_ways_ = false;
};

// The features that some splits read, numbered in their order; those in between cost nothing.
class UsedFeatures {
 public:
  UsedFeatures() = default;
  explicit UsedFeatures(const std::vector<const Node*>& splits) {
    for (const Node* split : splits) features_.push_back(split->feature);
    std::sort(features_.begin(), features_.end());
    features_.erase(std::unique(features_.begin(), features_.end()), features_.end());
    features_.shrink_to_fit();
  }

  std::size_t size() const { return features_.size(); }
  std::int32_t operator[](std::size_t number) const { return features_[number]; }
  // Of a split that reads one of them.
  std::size_t number(const Node& split) const {
    return static_cast<std::size_t>(
        std::lower_bound(features_.begin(), features_.end(), split.feature) - features_.begin());
  }

 private:
  std::vector<std::int32_t> features_;
};

class Quantizer {
 public:
  // More thresholds than this need columns without end: trees on such features are walked.
  static constexpr std::ptrdiff_t kMostThresholds = 65534;
  // And so are trees on features beyond these: a block holds a kilobyte of each column, and kernels
  // number its bytes in 32 bits.
  static constexpr std::size_t kMostColumns = 1 << 18;

  Quantizer() = default;

  // words : of category sets, in which the splits count
  Quantizer(const std::vector<const Node*>& splits, const std::uint32_t* words) : used_(splits) {
    std::vector<std::vector<const Node*>> by_feature(used_.size());
    for (const Node* split : splits) by_feature[used_.number(*split)].push_back(split);
    for (std::size_t u = 0; u < used_.size(); ++u) {
      features_.emplace_back(used_[u], std::move(by_feature[u]), words);
      first_columns_.push_back(n_columns_);
      n_columns_ += features_.back().n_columns();
    }
  }

  const std::vector<QuantizedFeature>& features() const { return features_; }
  std::size_t n_columns() const { return n_columns_; }
  std::size_t first_column(std::size_t number) const { return first_columns_[number]; }
  // Which of the quantized features a split reads.
  std::size_t number_of(const Node& split) const { return used_.number(split); }

  Place place(const Node& split) const {
    const std::size_t number = number_of(split);
    Place place = features_[number].place(split);
    place.column += first_columns_[number];
    return place;
  }

 private:
  UsedFeatures used_;
  std::vector<QuantizedFeature> features_;
  std::vector<std::size_t> first_columns_;  // by number
  std::size_t n_columns_ = 0;
};

}  // namespace mddag::blocks
