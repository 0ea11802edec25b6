// The best split of one column, from its histogram. With T_k the sum of q over the node's rows and
// L_k over those that go left, a split is worth sum_k criterion(T_k, L_k); see the two kinds of
// votes below. Ties go to the smallest cut, then to missing on the left.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mddag/signed_weights.hpp"

namespace mddag {

inline std::int64_t magnitude(std::int64_t a) { return a < 0 ? -a : a; }

struct OppositeVotes {  // a stump: the leaves vote v and -v, the edge is |R - L| = |T - 2 L|
  static std::int64_t criterion(std::int64_t total, std::int64_t left) {
    return magnitude(total - 2 * left);
  }
};

struct FreeVotes {  // a tree: each leaf votes for its own sign, |L| + |R| = max(|T|, |T - 2 L|)
  static std::int64_t criterion(std::int64_t total, std::int64_t left) {
    return std::max(magnitude(total), magnitude(total - 2 * left));
  }
};

struct Split {
  std::int64_t criterion;  // without a column: what the constant vote reaches
  std::int32_t feature = -1;
  std::int32_t cut = 0;  // codes <= cut go left; unused where a set of categories does
  bool missing_left = true;
  std::vector<std::uint32_t> set{};  // categories that go left, as bits; empty: a numeric split
  std::vector<std::int64_t> left{};  // (width,), the sums of the rows that go left

  bool better_than(const Split& other) const {
    return criterion != other.criterion ? criterion > other.criterion : feature < other.feature;
  }
};

// A filled histogram. If `listed` is there, only these bins (increasing) hold rows.
struct Histogram {
  const std::int64_t* sums;  // block by block, each (n_bins, block width)
  std::size_t n_codes;
  bool missing;  // then bin n_codes is theirs
  const std::vector<std::uint32_t>* listed;

  std::size_t n_bins() const { return n_codes + (missing ? 1 : 0); }
  std::size_t n_cuts() const { return listed ? listed->size() : n_codes; }
  std::size_t bin(std::size_t j) const { return listed ? (*listed)[j] : j; }
  const std::int64_t* at(const ClassBlock& block, std::size_t bin) const {
    return sums + block.first * n_bins() + bin * block.width;
  }
};

// criteria : (n_cuts, 2), missing left and missing right; added to.
template <class Votes, std::size_t W, bool kMissing>
void add_criteria(const Histogram& hist, const ClassBlock& block, const std::int64_t* total,
                  std::int64_t* criteria) {
  const std::int64_t* missing = hist.at(block, hist.n_codes);
  std::int64_t below[W] = {};
  for (std::size_t j = 0; j < hist.n_cuts(); ++j) {
    const std::int64_t* sums = hist.at(block, hist.bin(j));
    std::int64_t left = 0, right = 0;
    for (std::size_t k = 0; k < W; ++k) {
      below[k] += sums[k];
      right += Votes::criterion(total[k], below[k]);
      if (kMissing) left += Votes::criterion(total[k], below[k] + missing[k]);
    }
    criteria[2 * j] += kMissing ? left : right;
    criteria[2 * j + 1] += right;
  }
}

template <class Votes, std::size_t W>
void add_criteria(const Histogram& hist, const ClassBlock& block, const std::int64_t* total,
                  std::int64_t* criteria) {
  if (hist.missing)
    add_criteria<Votes, W, true>(hist, block, total, criteria);
  else
    add_criteria<Votes, W, false>(hist, block, total, criteria);
}

// Puts the best cut into `best` if it is better; `criteria` is scratch.
template <class Votes>
void search_cuts(const Histogram& hist, const std::vector<ClassBlock>& blocks,
                 const std::vector<std::int64_t>& total, std::int32_t feature,
                 std::vector<std::int64_t>& criteria, Split& best) {
  criteria.assign(2 * hist.n_cuts(), 0);
  for (const ClassBlock& block : blocks) {
    const std::int64_t* t = total.data() + block.first;
    if (block.width == 1) add_criteria<Votes, 1>(hist, block, t, criteria.data());
    if (block.width == 2) add_criteria<Votes, 2>(hist, block, t, criteria.data());
    if (block.width == 4) add_criteria<Votes, 4>(hist, block, t, criteria.data());
    if (block.width == 8) add_criteria<Votes, 8>(hist, block, t, criteria.data());
  }
  const auto top = std::max_element(criteria.begin(), criteria.end());  // the first of the largest
  if (top == criteria.end()) return;
  const auto place = static_cast<std::size_t>(top - criteria.begin());
  Split split{*top, feature};
  split.missing_left = place % 2 == 0;
  if (!split.better_than(best)) return;
  split.cut = static_cast<std::int32_t>(hist.bin(place / 2));
  split.left.assign(total.size(), 0);
  for (const ClassBlock& block : blocks) {
    std::int64_t* left = split.left.data() + block.first;
    const auto add = [&](std::size_t bin) {
      for (std::size_t k = 0; k < block.width; ++k) left[k] += hist.at(block, bin)[k];
    };
    for (std::size_t j = 0; j <= place / 2; ++j) add(hist.bin(j));
    if (hist.missing && split.missing_left) add(hist.n_codes);
  }
  best = std::move(split);
}

}  // namespace mddag
