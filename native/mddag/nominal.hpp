// The best set of categories of a nominal column. Tried in this order: each category alone; for
// each class the categories that speak for it; and, where values are missing, no category at all.
// For one class the second is the best of all sets. Ties go to the set tried first, then to missing
// on the left. A category without rows stays outside, where unknown categories go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "mddag/split.hpp"

namespace mddag {

template <class Votes>
class SetSearch {
 public:
  SetSearch(const Histogram& hist, const std::vector<ClassBlock>& blocks, std::size_t n_classes,
            const std::vector<std::int64_t>& total)
      : hist_(hist), blocks_(blocks), total_(total), sums_(total.size()) {
    for (std::size_t c = 0; c < hist.n_codes; ++c) offer({static_cast<std::uint32_t>(c)});
    for (std::size_t k = 0; k < n_classes; ++k) offer(speaking_for(k));
    if (hist.missing) offer({});
  }

  // Puts the best set into `best` if it is better.
  void take(std::int32_t feature, Split& best) const {
    Split split{criterion_, feature};
    if (criterion_ < 0 || !split.better_than(best)) return;
    split.missing_left = missing_left_;
    split.left = left_;
    split.set.assign(1 + (set_.empty() ? 0 : set_.back() / 32), 0);
    for (std::uint32_t c : set_) split.set[c / 32] |= std::uint32_t{1} << (c % 32);
    best = std::move(split);
  }

 private:
  std::vector<std::uint32_t> speaking_for(std::size_t k) const {
    const ClassBlock& block = blocks_[k / 8];
    std::vector<std::uint32_t> set;
    for (std::size_t c = 0; c < hist_.n_codes; ++c)
      if (hist_.at(block, c)[k - block.first] > 0) set.push_back(static_cast<std::uint32_t>(c));
    return set;
  }

  void offer(std::vector<std::uint32_t> set) {
    std::fill(sums_.begin(), sums_.end(), 0);
    for (std::uint32_t c : set) add(c);
    std::vector<std::int64_t> without = sums_;
    if (hist_.missing) {
      add(hist_.n_codes);
      consider(set, sums_, true);
      consider(set, without, false);
    } else {
      consider(set, without, true);
    }
  }

  void add(std::size_t bin) {
    for (const ClassBlock& block : blocks_)
      for (std::size_t k = 0; k < block.width; ++k)
        sums_[block.first + k] += hist_.at(block, bin)[k];
  }

  void consider(const std::vector<std::uint32_t>& set, const std::vector<std::int64_t>& left,
                bool missing_left) {
    std::int64_t criterion = 0;
    for (std::size_t k = 0; k < total_.size(); ++k)
      criterion += Votes::criterion(total_[k], left[k]);
    if (criterion <= criterion_) return;
    criterion_ = criterion;
    set_ = set;
    left_ = left;
    missing_left_ = missing_left;
  }

  Histogram hist_;
  const std::vector<ClassBlock>& blocks_;
  const std::vector<std::int64_t>& total_;
  std::vector<std::int64_t> sums_;
  std::int64_t criterion_ = -1;
  std::vector<std::uint32_t> set_;
  std::vector<std::int64_t> left_;
  bool missing_left_ = true;
};

}  // namespace mddag
