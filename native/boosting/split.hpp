// The best split of one column, from its histogram. With T_k the sum of q over the node's rows and
// L_k over those that go left, a split is worth sum_k criterion(T_k, L_k); see the two kinds of
// votes below. A split worth exactly as much as the constant vote is no better than it on either
// side, and counts as none. Ties go to the smallest cut, then to missing on the left.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "boosting/signed_weights.hpp"

namespace mddag {

inline std::int64_t magnitude(std::int64_t a) { return a < 0 ? -a : a; }

// What a vote without any split reaches.
inline std::int64_t constant_criterion(const std::vector<std::int64_t>& total) {
  std::int64_t sum = 0;
  for (std::int64_t t : total) sum += magnitude(t);
  return sum;
}

struct OppositeVotes {  // a stump: the leaves vote v and -v, the edge is |R - L| = |T - 2 L|
  // Any split beats the constant vote, which the paper's stumps do not have.
  static std::int64_t to_beat(std::int64_t) { return -1; }
  static std::int64_t criterion(std::int64_t total, std::int64_t left) {
    return magnitude(total - 2 * left);
  }
};

struct FreeVotes {  // a tree: each leaf votes for its own sign, |L| + |R| = max(|T|, |T - 2 L|)
  static std::int64_t to_beat(std::int64_t constant) { return constant; }
  static std::int64_t criterion(std::int64_t total, std::int64_t left) {
    return std::max(magnitude(total), magnitude(total - 2 * left));
  }
};

struct Split {
  std::int64_t criterion;  // without a column: what has to be beaten
  std::int32_t feature = -1;
  std::int32_t cut = 0;  // codes <= cut go left; unused where a set of categories does
  bool missing_left = true;
  std::vector<std::uint32_t> set{};  // categories that go left, as bits; empty: a numeric split
  std::vector<std::int64_t> left{};  // (width,), the sums of the rows that go left

  bool better_than(const Split& other) const {
    return criterion != other.criterion ? criterion > other.criterion : feature < other.feature;
  }
};

// A filled histogram: block by block of classes, each (n_bins, block width).
struct Histogram {
  const std::int64_t* sums;
  std::size_t n_codes;
  bool missing;  // then bin n_codes is theirs

  std::size_t n_bins() const { return n_codes + (missing ? 1 : 0); }
  const std::int64_t* at(const ClassBlock& block, std::size_t bin) const {
    return sums + block.first * n_bins() + bin * block.width;
  }
};

// Behind which bins to cut: all of them, or those that hold rows (increasing).
struct EveryBin {
  std::size_t size;
  std::size_t operator()(std::size_t j) const { return j; }
};

struct ListedBins {
  const std::uint32_t* bins;
  std::size_t size;
  std::size_t operator()(std::size_t j) const { return bins[j]; }
};

// Calls sink(j, left, right) for every cut j: what the block's classes add to its criterion with
// missing values on the left and on the right.
template <class Votes, std::size_t W, bool kMissing, class Bins, class Sink>
void scan(const Histogram& hist, const ClassBlock& block, const std::int64_t* total, Bins bins,
          const Sink& sink) {
  const std::int64_t* sums = hist.at(block, 0);
  const std::int64_t* missing = hist.at(block, hist.n_codes);
  std::int64_t below[W] = {};
  for (std::size_t j = 0; j < bins.size; ++j) {
    std::int64_t left = 0, right = 0;
    for (std::size_t k = 0; k < W; ++k) {
      below[k] += sums[bins(j) * W + k];
      right += Votes::criterion(total[k], below[k]);
      if (kMissing) left += Votes::criterion(total[k], below[k] + missing[k]);
    }
    sink(j, kMissing ? left : right, right);
  }
}

template <class Votes, class Bins, class Sink>
void scan(const Histogram& hist, const ClassBlock& block, const std::int64_t* total, Bins bins,
          const Sink& sink) {
  const auto of_width = [&](auto width) {
    constexpr std::size_t W = decltype(width)::value;
    if (hist.missing)
      scan<Votes, W, true>(hist, block, total, bins, sink);
    else
      scan<Votes, W, false>(hist, block, total, bins, sink);
  };
  with_width(block.width, of_width);
}

// Puts the best cut of the column into `best` if it is better; `criteria` is scratch.
template <class Votes, class Bins>
void search_cuts(const Histogram& hist, const std::vector<ClassBlock>& blocks,
                 const std::vector<std::int64_t>& total, std::int32_t feature, Bins bins,
                 std::vector<std::int64_t>& criteria, Split& best) {
  const bool several = blocks.size() > 1;
  if (several) criteria.assign(2 * bins.size, 0);
  for (std::size_t b = 0; b + 1 < blocks.size(); ++b)
    scan<Votes>(hist, blocks[b], total.data() + blocks[b].first, bins,
                [&](std::size_t j, std::int64_t left, std::int64_t right) {
                  criteria[2 * j] += left;
                  criteria[2 * j + 1] += right;
                });
  // Only what exceeds `most` wins; one less lets a smaller column win a tie.
  std::int64_t most = best.criterion - (feature < best.feature ? 1 : 0);
  const std::int64_t constant = constant_criterion(total);
  std::size_t place = 2 * bins.size;
  scan<Votes>(hist, blocks.back(), total.data() + blocks.back().first, bins,
              [&](std::size_t j, std::int64_t left, std::int64_t right) {
                if (several) left += criteria[2 * j], right += criteria[2 * j + 1];
                if (left > most && left != constant) most = left, place = 2 * j;
                if (right > most && right != constant) most = right, place = 2 * j + 1;
              });
  if (place == 2 * bins.size) return;
  best = {most, feature, static_cast<std::int32_t>(bins(place / 2)), place % 2 == 0};
  best.left.assign(total.size(), 0);
  const auto add = [&](std::size_t bin) {
    for (const ClassBlock& block : blocks)
      for (std::size_t k = 0; k < block.width; ++k)
        best.left[block.first + k] += hist.at(block, bin)[k];
  };
  for (std::size_t j = 0; j <= place / 2; ++j) add(bins(j));
  if (hist.missing && best.missing_left) add(hist.n_codes);
}

}  // namespace mddag
