// What a row pays for features: each group once, when a base classifier first reads it. The native
// side of src/mddag/mdp/charges.py; twin: tests/reference/charges.py.
//
//   new   = groups of the leaves that h ends in, without those that are paid
//   price = sum of costs[g] over g in new + wave_cost x waves
//
// Sets of groups are words of 32 bits. Words of a row may be kept as doubles, which hold them
// exactly: states carry doubles.
#pragma once

#include <cstddef>
#include <cstdint>

#include "internal/span.hpp"

namespace mddag {

constexpr std::size_t kWordBits = 32;

struct Charges {
  Span<const std::uint32_t> leaves;      // (n_leaves, n_words): the groups that each leaf charges
  Span<const std::int64_t> leaf_starts;  // (n_trees + 1,), into the leaves
  Span<const std::uint32_t> wants;       // (N, n_words): all that a base classifier may read
  Span<const double> costs;              // (G,)
  std::size_t n_words;
  double wave_cost;
  bool one_by_one;  // every new group is a wave of its own; else all of an evaluation are one

  // Whether the sets are those of the trees, and every group has a cost.
  template <class Tables>
  bool fit(const Tables& tables) const {
    const std::size_t n_trees = tables.score.size, n_classifiers = tables.rounds.size - 1;
    if (n_words != (costs.size + kWordBits - 1) / kWordBits) return false;
    if (leaf_starts.size != n_trees + 1 || wants.size != n_classifiers * n_words) return false;
    if (leaf_starts[0] != 0) return false;
    for (std::size_t t = 0; t < n_trees; ++t) {
      const auto width = static_cast<std::int64_t>(tables.score[t] < 0 ? tables.n_scores : 1);
      if ((leaf_starts[t + 1] - leaf_starts[t]) * width != tables.starts[t + 1] - tables.starts[t])
        return false;
    }
    return static_cast<std::size_t>(leaf_starts[n_trees]) * n_words == leaves.size &&
           known(leaves) && known(wants);
  }

  // Row i evaluates base classifier h: what it has to pay, which is paid from now on.
  // paid : (n_words,).
  template <class Votes, class Word>
  double pay(const Votes& votes, std::size_t i, std::size_t h, Word* paid) const {
    double price = 0;
    std::size_t n_waves = 0;
    const auto first = static_cast<std::size_t>(votes.tables.rounds[h]);
    const auto end = static_cast<std::size_t>(votes.tables.rounds[h + 1]);
    for (std::size_t w = 0; w < n_words; ++w) {
      const auto had = static_cast<std::uint32_t>(paid[w]);
      std::uint32_t read = 0;
      for (std::size_t t = first; t < end; ++t) read |= leaves[leaf(votes, i, t) * n_words + w];
      for (std::uint32_t left = read & ~had; left != 0; left &= left - 1) {
        const double cost = costs[w * kWordBits + lowest_bit(left)];
        price += cost;
        n_waves += cost > 0;
      }
      paid[w] = static_cast<Word>(had | read);
    }
    if (!one_by_one && n_waves > 1) n_waves = 1;
    return price + wave_cost * static_cast<double>(n_waves);
  }

 private:
  template <class Votes>
  std::size_t leaf(const Votes& votes, std::size_t i, std::size_t t) const {
    const std::size_t code = votes.codes[i * votes.tables.score.size + t];
    return static_cast<std::size_t>(leaf_starts[t]) + code;
  }

  static std::size_t lowest_bit(std::uint32_t word) {
    std::size_t bit = 0;
    while ((word >> bit & 1u) == 0) ++bit;
    return bit;
  }

  // Whether no set holds a group without a cost.
  bool known(Span<const std::uint32_t> sets) const {
    const std::size_t rest = costs.size % kWordBits;
    if (rest == 0) return true;
    for (std::size_t at = n_words - 1; at < sets.size; at += n_words)
      if (sets[at] >> rest != 0) return false;
    return true;
  }
};

}  // namespace mddag
