// Grow a tree best-first on codes: always split the leaf whose best split gains most, where the
// gain is sum_k |L_k| + |R_k| - |T_k|. A stump is the same with two leaves and opposite votes. The
// specification is tests/reference/growing.py and stump.py.
//
// The smaller child's histograms are summed from its rows, the larger's are what remains of the
// parent's: exact, since sums are integers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "boosting/search.hpp"

namespace mddag {

struct GrownNode {  // a leaf as long as left < 0
  Split split;
  std::vector<std::int64_t> total;
  std::int32_t left = -1;
  std::int32_t right = -1;
};

template <class Code, class Votes>
class Grower {
 public:
  Grower(const Columns<Code>& columns, SignedWeights& weights, std::size_t n_leaves, int n_threads)
      : columns_(columns),
        weights_(weights),
        search_(columns, weights, n_threads),
        n_leaves_(n_leaves),
        keep_(n_leaves > 2 && search_.kept_size() * n_leaves <= kMostKept) {}

  // The nodes in the order of their making: the root, then both children of each split.
  std::vector<GrownNode> grow() {
    Leaf root{0, {nullptr, 0, columns_.n_rows}, {}};
    grown_.push_back({Split{0}, weights_.total});
    evaluate(root, false);
    leaves_.push_back(std::move(root));
    while (leaves_.size() < n_leaves_) {
      const std::size_t l = most_gaining();
      if (grown_[leaves_[l].node].split.feature < 0) break;
      split(l);
    }
    return std::move(grown_);
  }

 private:
  static constexpr std::size_t kMostKept = (std::size_t{1} << 29) / sizeof(std::int64_t);

  struct Leaf {
    std::size_t node;
    NodeRows rows;
    std::vector<std::int64_t> kept;  // its histograms, if they are kept
  };

  void evaluate(Leaf& leaf, bool filled) {
    if (keep_ && !filled) leaf.kept.resize(search_.kept_size());
    GrownNode& node = grown_[leaf.node];
    node.split = search_.best(leaf.rows, node.total, keep_ ? leaf.kept.data() : nullptr, filled);
  }

  std::int64_t gain(const Leaf& leaf) const {
    const GrownNode& node = grown_[leaf.node];
    return node.split.criterion - constant_criterion(node.total);
  }

  std::size_t most_gaining() const {  // among equals, the leaf made first
    std::size_t best = 0;
    for (std::size_t l = 1; l < leaves_.size(); ++l) {
      const std::int64_t more = gain(leaves_[l]) - gain(leaves_[best]);
      if (more > 0 || (more == 0 && leaves_[l].node < leaves_[best].node)) best = l;
    }
    return best;
  }

  void split(std::size_t l) {
    Leaf parent = std::move(leaves_[l]);
    const std::size_t made = grown_.size();
    add_children(parent.node);
    const bool last = leaves_.size() + 1 == n_leaves_;  // its children are never split
    if (last) {
      leaves_.emplace_back();
      return;
    }
    if (rows_.empty()) {
      rows_.resize(columns_.n_rows);
      std::iota(rows_.begin(), rows_.end(), 0);
    }
    const std::size_t n_left = part(parent);
    const std::size_t begin = parent.rows.begin, size = parent.rows.size;
    Leaf left{made, {rows_.data() + begin, begin, n_left}, {}};
    Leaf right{made + 1, {rows_.data() + begin + n_left, begin + n_left, size - n_left}, {}};
    Leaf& smaller = n_left <= size - n_left ? left : right;
    Leaf& larger = n_left <= size - n_left ? right : left;
    evaluate(smaller, false);
    if (keep_) {
      larger.kept = std::move(parent.kept);
      for (std::size_t e = 0; e < larger.kept.size(); ++e) larger.kept[e] -= smaller.kept[e];
    }
    evaluate(larger, keep_);
    leaves_[l] = std::move(left);
    leaves_.push_back(std::move(right));
  }

  void add_children(std::size_t parent) {
    const auto made = static_cast<std::int32_t>(grown_.size());
    grown_[parent].left = made;
    grown_[parent].right = made + 1;
    std::vector<std::int64_t> left = grown_[parent].split.left, right = grown_[parent].total;
    for (std::size_t k = 0; k < right.size(); ++k) right[k] -= left[k];
    grown_.push_back({Split{0}, std::move(left)});
    grown_.push_back({Split{0}, std::move(right)});
  }

  // Puts the rows that go left first, in both halves in their old order; returns their number.
  std::size_t part(const Leaf& leaf) {
    const Split& split = grown_[leaf.node].split;
    const Code* codes = columns_.column(static_cast<std::size_t>(split.feature));
    const std::vector<std::uint8_t> left_of_code = sides(split);
    const std::size_t begin = leaf.rows.begin, n = leaf.rows.size;
    is_left_.resize(n);
    for (std::size_t i = 0; i < n; ++i) is_left_[i] = left_of_code[codes[rows_[begin + i]]];
    for (const ClassBlock& block : weights_.blocks) {
      std::int64_t* q = weights_.rows_of(block) + begin * block.width;
      with_width(block.width,
                 [&](auto width) { part_array<decltype(width)::value>(q, n, spare_q_); });
    }
    return part_array<1>(rows_.data() + begin, n, spare_rows_);
  }

  // For every code, whether it goes left.
  std::vector<std::uint8_t> sides(const Split& split) const {
    const auto f = static_cast<std::size_t>(split.feature);
    const auto n_codes = static_cast<std::size_t>(columns_.n_codes[f]);
    std::vector<std::uint8_t> left(n_codes + 1);
    left[n_codes] = split.missing_left;
    for (std::size_t c = 0; c < n_codes; ++c)
      left[c] = split.set.empty()
                    ? c <= static_cast<std::size_t>(split.cut)
                    : c / 32 < split.set.size() && ((split.set[c / 32] >> (c % 32)) & 1u);
    return left;
  }

  template <std::size_t W, class T>
  std::size_t part_array(T* values, std::size_t n, std::vector<T>& spare) const {
    spare.resize(std::max(spare.size(), n * W));
    std::size_t n_left = 0, n_right = 0;
    for (std::size_t i = 0; i < n; ++i) {  // written to both sides: a branch would be mispredicted
      for (std::size_t k = 0; k < W; ++k) spare[n_right * W + k] = values[i * W + k];
      for (std::size_t k = 0; k < W; ++k) values[n_left * W + k] = values[i * W + k];
      n_left += is_left_[i];
      n_right += 1u - is_left_[i];
    }
    std::copy(spare.begin(), spare.begin() + static_cast<std::ptrdiff_t>(n_right * W),
              values + n_left * W);
    return n_left;
  }

  Columns<Code> columns_;
  SignedWeights& weights_;
  Search<Code, Votes> search_;
  std::size_t n_leaves_;
  bool keep_;
  std::vector<GrownNode> grown_;
  std::vector<Leaf> leaves_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint8_t> is_left_;
  std::vector<std::uint32_t> spare_rows_;
  std::vector<std::int64_t> spare_q_;
};

}  // namespace mddag
