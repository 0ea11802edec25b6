// What AdaBoost.MH does between two calls of its learner: sum the votes by leaf, reweigh the
// rows, add the new votes to the scores. The specification is tests/reference/boosting.py.
//
// Weights are summed as 64-bit integers in units of 2^-60, so that a sum is exact and cannot depend
// on threads or order. Everything else touches one element at a time and rounds once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

#include "boosting/weight_units.hpp"
#include "internal/parallel.hpp"
#include "internal/span.hpp"

namespace mddag {

// Calls body with the number of scores, as a compile-time constant where it is 1: two
// classes are the common case, and the loop over one score should cost nothing.
template <class Body>
auto with_n_scores(std::size_t n_scores, const Body& body) {
  if (n_scores == 1) return body(std::integral_constant<std::size_t, 1>{});
  return body(n_scores);
}

// Instances in a block: enough work to pay for waking a thread.
inline std::size_t boost_block(std::size_t n_scores) {
  constexpr std::size_t kElements = std::size_t{1} << 13;
  return n_scores < kElements ? kElements / n_scores : 1;
}

// Calls body(block, first, last) for blocks of rows.
template <class Body>
void for_boost_blocks(std::size_t n, std::size_t n_scores, int n_threads, const Body& body) {
  const std::size_t size = boost_block(n_scores);
  parallel_for((n + size - 1) / size, n_threads, [&](std::size_t block) {
    body(block, block * size, std::min(n, (block + 1) * size));
  });
}

inline std::size_t n_boost_blocks(std::size_t n, std::size_t n_scores) {
  return (n + boost_block(n_scores) - 1) / boost_block(n_scores);
}

// sums[leaf, k] = sum over the rows in the leaf of w_ik y_ik, in units of 2^-60; the return
// value is the sum of all w_ik.
template <class Code, class Width>
std::int64_t sum_by_leaf(Span<const Code> leaf, const std::int8_t* targets, const double* weights,
                         std::int64_t* sums, std::size_t n_leaves, Width n_scores, int n_threads) {
  const std::size_t n_cells = n_leaves * n_scores;
  const std::size_t n_blocks = n_boost_blocks(leaf.size, n_scores);
  std::vector<std::int64_t> parts(n_blocks * n_cells, 0), totals(n_blocks, 0);
  for_boost_blocks(leaf.size, n_scores, n_threads,
                   [&](std::size_t block, std::size_t first, std::size_t last) {
                     std::int64_t* part = parts.data() + block * n_cells;
                     std::int64_t total = 0;
                     for (std::size_t i = first; i < last; ++i) {
                       std::int64_t* cells = part + leaf[i] * n_scores;
                       for (std::size_t k = 0; k < n_scores; ++k) {
                         const std::int64_t q = in_units(weights[i * n_scores + k]);
                         cells[k] += q * targets[i * n_scores + k];
                         total += q;
                       }
                     }
                     totals[block] = total;
                   });
  for (std::size_t c = 0; c < parts.size(); ++c) sums[c % n_cells] += parts[c];
  return std::accumulate(totals.begin(), totals.end(), std::int64_t{0});
}

// u >= 0 rounded to a multiple of 2^-52: the doubles between 1 and 2 are that far apart. Then the
// product with a whole mass is exact. Above 1, which takes a fractional mass, u stays as it is.
inline double on_grid(double u) { return u < 1.0 ? (u + 1.0) - 1.0 : u; }

// units[i, k] *= right where the vote agrees with the target, wrong elsewhere;
// weights[i, k] = mass[i] units[i, k], the units being read on the grid.
template <class Code, class Width>
void reweigh(Span<const Code> leaf, Span<const double> votes, const std::int8_t* targets,
             const double* mass, double right, double wrong, double* units, double* weights,
             Width n_scores, int n_threads) {
  // Whether a vote is right cannot be predicted: a table of both cases spares the branch.
  std::vector<double> factors(2 * votes.size);
  for (std::size_t c = 0; c < votes.size; ++c) {
    factors[2 * c] = votes[c] > 0 ? wrong : right;      // where the target is -1
    factors[2 * c + 1] = votes[c] > 0 ? right : wrong;  // where it is +1
  }
  for_boost_blocks(leaf.size, n_scores, n_threads,
                   [&](std::size_t, std::size_t first, std::size_t last) {
                     for (std::size_t i = first; i < last; ++i) {
                       const double* factor = factors.data() + 2 * leaf[i] * n_scores;
                       for (std::size_t k = 0; k < n_scores; ++k) {
                         const std::size_t at = i * n_scores + k;
                         units[at] *= factor[2 * k + (targets[at] > 0)];
                         weights[at] = mass[i] * on_grid(units[at]);
                       }
                     }
                   });
}

// Whether the winning class of a row of scores is another than the target's; the first wins ties.
template <class Width>
bool is_wrong(const double* scores, const std::int8_t* targets, Width n_scores) {
  if (n_scores == 1) return (scores[0] > 0) != (targets[0] > 0);
  std::size_t winner = 0;
  for (std::size_t k = 1; k < n_scores; ++k)
    if (scores[k] > scores[winner]) winner = k;
  return targets[winner] < 0;
}

// scores[i] += votes[leaf[i]]; returns the mass of the rows that are then classified wrongly,
// summed block by block, so that it does not depend on threads.
template <class Code, class Width>
double add_votes(Span<const Code> leaf, const double* votes, const std::int8_t* targets,
                 const double* mass, double* scores, Width n_scores, int n_threads) {
  std::vector<double> parts(n_boost_blocks(leaf.size, n_scores), 0.0);
  for_boost_blocks(leaf.size, n_scores, n_threads,
                   [&](std::size_t block, std::size_t first, std::size_t last) {
                     double part = 0.0;
                     for (std::size_t i = first; i < last; ++i) {
                       double* row = scores + i * n_scores;
                       const double* vote = votes + leaf[i] * n_scores;
                       for (std::size_t k = 0; k < n_scores; ++k) row[k] += vote[k];
                       part += mass[i] * is_wrong(row, targets + i * n_scores, n_scores);
                     }
                     parts[block] = part;
                   });
  double sum = 0.0;
  for (const double part : parts) sum += part;
  return sum;
}

}  // namespace mddag
