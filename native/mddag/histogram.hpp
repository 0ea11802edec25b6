// Histograms of signed weights: for every code of a column, the sum of q over the rows with it.
//
// hist : block by block of classes, each (n_bins, block width), like the rows of q.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "mddag/signed_weights.hpp"

namespace mddag {

struct EveryRow {
  std::size_t operator()(std::size_t i) const { return i; }
};

struct ChosenRows {
  const std::uint32_t* rows;
  std::size_t operator()(std::size_t i) const { return rows[i]; }
};

template <std::size_t W>
inline void add_row(const std::int64_t* q, std::int64_t* bin) {
  std::int64_t sum[W];  // all loads before all stores: the compiler may then use whole registers
  for (std::size_t k = 0; k < W; ++k) sum[k] = bin[k] + q[k];
  for (std::size_t k = 0; k < W; ++k) bin[k] = sum[k];
}

// Equal codes in neighbouring rows make each addition wait for the one before it to reach memory.
// Narrow rows therefore go to several banks in turn, which are added up at the end.
template <std::size_t W>
constexpr std::size_t kBanks = W == 1   ? 4
                               : W == 2 ? 2
                                        : 1;
constexpr std::size_t kMostBankEntries = 3 * 257;  // beyond the histogram itself, for any W

// banks : kMostBankEntries zeros, zeros again at the end; n_bins <= 257.
template <std::size_t W, class Code, class Row>
void add_rows(const Code* codes, Row row, const std::int64_t* q, std::size_t n, std::int64_t* hist,
              std::size_t n_bins, std::int64_t* banks) {
  std::size_t i = 0;
  if (kBanks<W> > 1 && n >= 4 * n_bins) {
    const std::size_t size = n_bins * W;
    for (; i + kBanks<W> <= n; i += kBanks<W>) {
      add_row<W>(q + i * W, hist + codes[row(i)] * W);
      for (std::size_t b = 1; b < kBanks<W>; ++b)
        add_row<W>(q + (i + b) * W, banks + (b - 1) * size + codes[row(i + b)] * W);
    }
    for (std::size_t b = 0; b + 1 < kBanks<W>; ++b)
      for (std::size_t e = 0; e < size; ++e) hist[e] += banks[b * size + e];
    std::fill(banks, banks + (kBanks<W> - 1) * size, 0);
  }
  for (; i < n; ++i) add_row<W>(q + i * W, hist + codes[row(i)] * W);
}

template <class Code, class Row>
void add_rows(std::size_t width, const Code* codes, Row row, const std::int64_t* q, std::size_t n,
              std::int64_t* hist, std::size_t n_bins, std::int64_t* banks) {
  switch (width) {
    case 1:
      return add_rows<1>(codes, row, q, n, hist, n_bins, banks);
    case 2:
      return add_rows<2>(codes, row, q, n, hist, n_bins, banks);
    case 4:
      return add_rows<4>(codes, row, q, n, hist, n_bins, banks);
    default:
      return add_rows<8>(codes, row, q, n, hist, n_bins, banks);
  }
}

// Which bins of a column with many codes hold a row: a small node then costs what its rows cost.
class Touched {
 public:
  void grow(std::size_t n_bins) { marks_.resize(std::max(marks_.size(), n_bins + sizeof(Eight))); }

  void mark(std::size_t bin) { marks_[bin] = 1; }

  // The marked bins below n_bins in increasing order; the marks are taken away.
  void take(std::size_t n_bins, std::vector<std::uint32_t>& bins) {
    bins.clear();
    for (std::size_t first = 0; first < n_bins; first += sizeof(Eight)) {
      Eight eight;
      std::memcpy(&eight, &marks_[first], sizeof eight);
      if (eight == 0) continue;
      for (std::size_t bin = first; bin < first + sizeof(Eight); ++bin)
        if (marks_[bin] != 0) bins.push_back(static_cast<std::uint32_t>(bin));
      std::memset(&marks_[first], 0, sizeof eight);
    }
  }

 private:
  using Eight = std::uint64_t;  // marks looked at together
  std::vector<std::uint8_t> marks_;
};

// touched : marks every bin that takes a row.
template <std::size_t W, class Code, class Row>
void add_rows_marking(const Code* codes, Row row, const std::int64_t* q, std::size_t n,
                      std::int64_t* hist, Touched& touched) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t bin = codes[row(i)];
    touched.mark(bin);
    add_row<W>(q + i * W, hist + bin * W);
  }
}

template <class Code, class Row>
void add_rows_marking(std::size_t width, const Code* codes, Row row, const std::int64_t* q,
                      std::size_t n, std::int64_t* hist, Touched& touched) {
  switch (width) {
    case 1:
      return add_rows_marking<1>(codes, row, q, n, hist, touched);
    case 2:
      return add_rows_marking<2>(codes, row, q, n, hist, touched);
    case 4:
      return add_rows_marking<4>(codes, row, q, n, hist, touched);
    default:
      return add_rows_marking<8>(codes, row, q, n, hist, touched);
  }
}

}  // namespace mddag
