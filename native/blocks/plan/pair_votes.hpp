// The votes of neighbouring small trees, two by two, as PairVotes records: see kernels/pairs.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "blocks/kernels/kernels.hpp"

namespace mddag::blocks {

// Differences of votes are taken in 64 bits: those of two trees may need 33.
inline PairVotes pair_votes(const SmallTree& first, const SmallTree& second) {
  const auto least = [](const SmallTree& tree) {
    return std::int64_t{*std::min_element(tree.votes, tree.votes + 8)};
  };
  PairVotes pair{};
  const std::int64_t least_of_both = least(first) + least(second);
  pair.least = static_cast<std::int32_t>(static_cast<std::uint32_t>(least_of_both));
  pair.fits = first.score == second.score;
  for (std::size_t code = 0; code < 64; ++code) {
    const auto above = static_cast<std::uint64_t>(std::int64_t{first.votes[code % 8]} +
                                                  second.votes[code / 8] - least_of_both);
    pair.fits = pair.fits && above < std::uint64_t{1} << 8 * PairVotes::kPlanes;
    for (std::size_t p = 0; p < PairVotes::kPlanes; ++p)
      pair.plane[p][code] = static_cast<std::uint8_t>(above >> 8 * p);
  }
  return pair;
}

// Of trees 0 and 1, 2 and 3 ...; the last of an odd number is in none.
inline std::vector<PairVotes> pair_votes(const std::vector<SmallTree>& trees) {
  std::vector<PairVotes> pairs;
  pairs.reserve(trees.size() / 2);
  for (std::size_t t = 0; t + 1 < trees.size(); t += 2)
    pairs.push_back(pair_votes(trees[t], trees[t + 1]));
  return pairs;
}

}  // namespace mddag::blocks
