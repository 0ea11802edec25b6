// Bytes that choose votes from tables: the codes of large trees and the ranks of step functions.
//
//   sums[i] += votes_1[bytes_1[i]] + … + votes_4[bytes_4[i]]
//
// kTogether tables at a time, where they vote for the same score, spare the sums the other passes.
// `Machine` keeps the copies for different machines apart, as in exit_kernels.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "blocks/kernels/kernels.hpp"

namespace mddag::blocks {

template <class Machine>
class TableKernels {
 public:
  static void steps(const StepFunction* steps, std::size_t n_steps, const Lanes& lanes) {
    Tables tables{};
    for (const StepFunction* step = steps; step != steps + n_steps; ++step) {
      if (tables.n == kTogether || step->score != tables.score) tables.flush(lanes);
      tables.add(reinterpret_cast<const std::uint8_t*>(lanes.ranks) + step->column, step->votes,
                 step->score);
    }
    tables.flush(lanes);
  }

  // find_codes(tree, lanes, codes) gives the rows the codes of their leaves.
  template <class Find>
  static void large_trees(const LargeTree* trees, std::size_t n_trees, const Lanes& lanes,
                          const Find& find_codes) {
    Tables tables{};
    for (const LargeTree* tree = trees; tree != trees + n_trees; ++tree) {
      if (tables.n == kTogether || tree->score != tables.score) tables.flush(lanes);
      std::uint8_t* codes = lanes.codes + tables.n * lanes.sums_stride;
      find_codes(*tree, lanes, codes);
      for (std::uint32_t k = 0; k < tree->n_outputs; ++k) {
        tables.add(codes, tree->votes + k * tree->n_leaves, tree->score + k);
        if (tree->n_outputs > 1) tables.flush(lanes);
      }
    }
    tables.flush(lanes);
  }

 private:
  // Tables that wait to be added, all for one score.
  struct Tables {
    const std::uint8_t* bytes[kTogether];
    const std::int32_t* votes[kTogether];
    std::size_t n;
    std::uint32_t score;

    void add(const std::uint8_t* its_bytes, const std::int32_t* its_votes,
             std::uint32_t its_score) {
      bytes[n] = its_bytes;
      votes[n++] = its_votes;
      score = its_score;
    }

    void flush(const Lanes& lanes) {
      std::int32_t* sums = lanes.sums + score * lanes.sums_stride;
      if (n == kTogether)
        add_four(sums, lanes.n);
      else
        for (std::size_t t = 0; t < n; ++t)
          for (std::size_t i = 0; i < lanes.n; ++i)
            sums[i] = wrapping_sum(sums[i], votes[t][bytes[t][i]]);
      n = 0;
    }

    void add_four(std::int32_t* sums, std::size_t n_lanes) const {
      const std::uint8_t *a = bytes[0], *b = bytes[1], *c = bytes[2], *d = bytes[3];
      const std::int32_t *p = votes[0], *q = votes[1], *r = votes[2], *s = votes[3];
      for (std::size_t i = 0; i < n_lanes; ++i)
        sums[i] = wrapping_sum(sums[i], p[a[i]] + q[b[i]] + r[c[i]] + s[d[i]]);
    }
  };
};

}  // namespace mddag::blocks
