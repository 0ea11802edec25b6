// The best set of categories of a nominal column. Tried in this order: each category alone; for
// each class the categories with a positive sum; and, where values are missing, no category at all.
// For one class the second is the best of all sets. Ties go to the set tried first, then to missing
// on the left. A category without rows stays outside, where unknown categories go.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "boosting/split.hpp"

namespace mddag {

template <class Votes>
class SetSearch {
 public:
  SetSearch(const Histogram& hist, const std::vector<ClassBlock>& blocks, std::size_t n_classes,
            const std::vector<std::int64_t>& total)
      : hist_(hist),
        blocks_(blocks),
        total_(total),
        sums_(total.size()),
        constant_(constant_criterion(total)) {
    for (std::size_t c = 0; c < hist.n_codes; ++c) {
      tried_.assign(1, static_cast<std::uint32_t>(c));
      try_set();
    }
    for (std::size_t k = 0; k < n_classes; ++k) {
      list_speaking_for(k);
      try_set();
    }
    tried_.clear();
    if (hist.missing) try_set();
  }

  // Puts the best set into `best` if it is better.
  void take(std::int32_t feature, Split& best) const {
    Split split{criterion_, feature, 0, missing_left_, {}, left_};
    if (criterion_ < 0 || !split.better_than(best)) return;
    split.set.assign(1 + (set_.empty() ? 0 : set_.back() / 32), 0);
    for (std::uint32_t c : set_) split.set[c / 32] |= std::uint32_t{1} << (c % 32);
    best = std::move(split);
  }

 private:
  void list_speaking_for(std::size_t k) {
    const ClassBlock& block = blocks_[k / 8];
    tried_.clear();
    for (std::size_t c = 0; c < hist_.n_codes; ++c)
      if (hist_.at(block, c)[k - block.first] > 0) tried_.push_back(static_cast<std::uint32_t>(c));
  }

  void try_set() {
    std::fill(sums_.begin(), sums_.end(), 0);
    for (std::uint32_t c : tried_) add(c, 1);
    if (hist_.missing) {
      add(hist_.n_codes, 1);
      consider(true);
      add(hist_.n_codes, -1);
    }
    consider(!hist_.missing);
  }

  void add(std::size_t bin, std::int64_t times) {
    for (const ClassBlock& block : blocks_)
      for (std::size_t k = 0; k < block.width; ++k)
        sums_[block.first + k] += times * hist_.at(block, bin)[k];
  }

  void consider(bool missing_left) {
    std::int64_t criterion = 0;
    for (std::size_t k = 0; k < total_.size(); ++k)
      criterion += Votes::criterion(total_[k], sums_[k]);
    if (criterion <= criterion_ || criterion == constant_) return;
    criterion_ = criterion;
    set_ = tried_;
    left_ = sums_;
    missing_left_ = missing_left;
  }

  Histogram hist_;
  const std::vector<ClassBlock>& blocks_;
  const std::vector<std::int64_t>& total_;
  std::vector<std::uint32_t> tried_;
  std::vector<std::int64_t> sums_;  // of the rows in the set tried
  std::int64_t constant_;
  std::int64_t criterion_ = -1;  // of the best set so far
  std::vector<std::uint32_t> set_;
  std::vector<std::int64_t> left_;
  bool missing_left_ = true;
};

}  // namespace mddag
