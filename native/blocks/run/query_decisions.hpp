// QueryDecisions: a policy over the documents of queries, made ready for blocks of rows. At check
// point c every document has a reading of its full score, a number by its place in the query, and
// quits in some cells of that number. See src/mddag/ranking/states.py.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "ensemble/table_fault.hpp"
#include "internal/span.hpp"
#include "mdp/urgency.hpp"

namespace mddag::blocks {

enum class QueryNumber { kReading, kGap, kUrgency };

// As Readings of Python, arrays row by row.
struct ReadingTables {
  std::vector<std::int64_t> checks;                   // (C,)
  std::vector<double> weights, level, edges, spread;  // (C, C), (C,), (C, m - 1), (C, m)
};

struct NumberTables {
  QueryNumber number;
  std::size_t k;                            // of a gap
  std::vector<double> discounts, at, gain;  // of urgencies
  bool mean;
  double slope;
};

class QueryDecisions {
 public:
  // edges: of the grid; quits: (C - 1, n_edges + 1), whether a document quits there.
  QueryDecisions(ReadingTables readings, NumberTables numbers, std::vector<double> edges,
                 std::vector<std::uint8_t> quits)
      : readings_(std::move(readings)),
        numbers_(std::move(numbers)),
        edges_(std::move(edges)),
        quits_(std::move(quits)) {
    const std::size_t n = readings_.checks.size();
    std::int64_t before = 0;
    for (const std::int64_t check : readings_.checks) {
      if (check <= before) refuse("check points do not rise");
      before = check;
    }
    const bool fits = n > 0 && readings_.weights.size() == n * n && readings_.level.size() == n &&
                      readings_.spread.size() % n == 0 && !readings_.spread.empty() &&
                      readings_.edges.size() + n == readings_.spread.size() &&
                      quits_.size() == (n - 1) * (edges_.size() + 1);
    if (!fits) refuse("readings and decisions are not of the same check points");
    const bool urgent = numbers_.number == QueryNumber::kUrgency;
    if (urgent && (numbers_.discounts.empty() || numbers_.at.empty() ||
                   numbers_.at.size() != numbers_.gain.size()))
      refuse("an urgency without discounts, or without a gain for every knot");
    if (numbers_.number == QueryNumber::kGap && numbers_.k == 0) refuse("the gap to no document");
  }

  std::size_t n_checks() const { return readings_.checks.size(); }
  std::size_t check(std::size_t c) const { return static_cast<std::size_t>(readings_.checks[c]); }
  const NumberTables& numbers() const { return numbers_; }

  // Sums of blocks of a row at blocks[b * stride].
  double reading(const double* blocks, std::size_t stride, std::size_t c) const {
    const double* weight = readings_.weights.data() + c * n_checks();
    double total = readings_.level[c];
    for (std::size_t b = 0; b <= c; ++b) total += weight[b] * blocks[b * stride];
    return total;
  }

  double spread(double reading, std::size_t c) const {
    const std::size_t cells = readings_.spread.size() / n_checks();
    const double* edges = readings_.edges.data() + c * (cells - 1);
    const auto cell = std::lower_bound(edges, edges + cells - 1, reading) - edges;
    return readings_.spread[c * cells + static_cast<std::size_t>(cell)];
  }

  bool quits(double number, std::size_t c) const {
    const auto cell = std::lower_bound(edges_.begin(), edges_.end(), number) - edges_.begin();
    return quits_[c * (edges_.size() + 1) + static_cast<std::size_t>(cell)] != 0;
  }

  // Numbers that are decided alike at check point c: in all cells from the first on, and in all up
  // to the last.
  Decided decided(std::size_t c) const {
    const std::uint8_t* row = quits_.data() + c * (edges_.size() + 1);
    std::size_t first = 0, last = edges_.size();
    while (first < edges_.size() && row[first]) ++first;
    while (last > 0 && !row[last]) --last;
    Decided found = kUndecided;
    if (first > 0) found.quit = edges_[first - 1];
    if (last < edges_.size()) found.go = edges_[last];
    return found;
  }

  // Whether any document may quit at check point c.
  bool decides(std::size_t c) const {
    const auto begin = quits_.begin() + static_cast<std::ptrdiff_t>(c * (edges_.size() + 1));
    return std::any_of(begin, begin + static_cast<std::ptrdiff_t>(edges_.size() + 1),
                       [](std::uint8_t q) { return q != 0; });
  }

 private:
  ReadingTables readings_;
  NumberTables numbers_;
  std::vector<double> edges_;
  std::vector<std::uint8_t> quits_;
};

// The numbers of one query after the other, with working memory.
class NumbersOfQuery {
 public:
  explicit NumbersOfQuery(const NumberTables& tables)
      : tables_(tables),
        urgency_({{tables.discounts.data(), tables.discounts.size()}, tables.mean},
                 {{tables.at.data(), tables.at.size()}, {tables.gain.data(), tables.gain.size()}},
                 tables.slope) {}

  // Of n > 0 documents; those that are not alive get some number, and see urgency.hpp.
  void operator()(const double* reading, const double* spread, const std::uint8_t* alive,
                  std::size_t n, double* out, Decided decided) {
    if (tables_.number == QueryNumber::kUrgency)
      return urgency_(reading, spread, alive, n, out, decided);
    const double best = tables_.number == QueryNumber::kGap ? kth_best(reading, n) : 0.0;
    for (std::size_t i = 0; i < n; ++i) out[i] = reading[i] - best;
  }

 private:
  double kth_best(const double* reading, std::size_t n) {
    sorted_.assign(reading, reading + n);
    for (double& s : sorted_) s = s == s ? s : 0.0;  // what cannot be compared breaks the sort
    const auto kth = sorted_.begin() + static_cast<std::ptrdiff_t>(std::min(tables_.k, n) - 1);
    std::nth_element(sorted_.begin(), kth, sorted_.end(), std::greater<double>());
    return *kth;
  }

  const NumberTables& tables_;
  QueryUrgency urgency_;
  std::vector<double> sorted_;
};

}  // namespace mddag::blocks
