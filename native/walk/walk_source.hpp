// What a walk is made of.
#pragma once

#include <cstdint>
#include <vector>

#include "ensemble/node.hpp"

namespace mddag {

// Trees, votes as integers and the order of a policy; owned, so that forms for float32 and for
// float64 rows can be made when such rows first come.
struct WalkSource {
  std::vector<Node> nodes;
  std::vector<std::int64_t> starts;
  std::vector<std::uint32_t> words;
  std::vector<std::int64_t> word_starts;
  std::vector<std::int32_t> values;  // as Tables.values, but integers
  std::vector<std::int64_t> table_starts;
  std::vector<std::int32_t> score;
  std::vector<std::int64_t> rounds;
  std::vector<std::int64_t> order;  // (N,): step j evaluates base classifier order[j]
  std::vector<std::int32_t> bias;   // (K,)
  std::size_t n_features;

  std::size_t n_scores() const { return bias.size(); }
  std::size_t n_steps() const { return order.size(); }
};

}  // namespace mddag
