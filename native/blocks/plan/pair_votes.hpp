// The votes of neighboring small trees, two by two, as PairVotes records: see
// kernels/vbmi_planes.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "blocks/kernels/kernels.hpp"

namespace mddag::blocks {

inline std::uint32_t least_vote(const SmallTree& tree) {
  return static_cast<std::uint32_t>(*std::min_element(tree.votes, tree.votes + 8));
}

// Whether two trees of this kind may need four bytes: differences are below 2^32.
inline bool is_wide(const SmallTree& tree) {
  const auto most = *std::max_element(tree.votes, tree.votes + 8);
  return static_cast<std::uint32_t>(most) - least_vote(tree) >= std::uint32_t{1} << 23;
}

// Modulo 2^32, as sums are.
inline PairVotes pair_votes(const SmallTree& first, const SmallTree& second) {
  PairVotes pair{};
  const std::uint32_t least = least_vote(first) + least_vote(second);
  pair.least = static_cast<std::int32_t>(least);
  if (first.score != second.score) return pair;
  pair.n_planes = is_wide(first) || is_wide(second) ? 4 : 3;
  for (std::size_t code = 0; code < 64; ++code) {
    const std::uint32_t above = static_cast<std::uint32_t>(first.votes[code % 8]) +
                                static_cast<std::uint32_t>(second.votes[code / 8]) - least;
    for (std::size_t p = 0; p < 4; ++p)
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
