// Histograms of signed weights: for every code of a column, the sum of q over the rows with it.
//
// hist : block by block of classes, each (n_bins, block width), like the rows of q.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "boosting/signed_weights.hpp"

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

// Equal codes in neighboring rows make each addition wait for the one before it to reach memory.
// Narrow rows therefore go to several banks in turn, which are added up at the end.
template <std::size_t W>
constexpr std::size_t kBanks = W == 1   ? 4
                               : W == 2 ? 2
                                        : 1;
constexpr std::size_t kMostBankEntries = 3 * 257;  // of the banks beside the histogram itself

// banks : kMostBankEntries zeros, zeros again at the end.
template <std::size_t W, class Code, class Row>
void add_rows(const Code* codes, Row row, const std::int64_t* q, std::size_t n, std::int64_t* hist,
              std::size_t n_bins, std::int64_t* banks) {
  constexpr std::size_t kExtra = kBanks<W> - 1;
  const std::size_t size = n_bins * W;
  std::size_t i = 0;
  if (kExtra > 0 && n >= 4 * n_bins && kExtra * size <= kMostBankEntries) {
    for (; i + kExtra < n; i += kExtra + 1) {
      add_row<W>(q + i * W, hist + codes[row(i)] * W);
      for (std::size_t b = 0; b < kExtra; ++b)
        add_row<W>(q + (i + b + 1) * W, banks + b * size + codes[row(i + b + 1)] * W);
    }
    for (std::size_t b = 0; b < kExtra; ++b)
      for (std::size_t e = 0; e < size; ++e) hist[e] += banks[b * size + e];
    std::fill(banks, banks + kExtra * size, 0);
  }
  for (; i < n; ++i) add_row<W>(q + i * W, hist + codes[row(i)] * W);
}

// marks : (n_bins,), set to 1 where a bin takes a row.
template <std::size_t W, class Code, class Row>
void add_rows_marking(const Code* codes, Row row, const std::int64_t* q, std::size_t n,
                      std::int64_t* hist, std::uint8_t* marks) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t bin = codes[row(i)];
    marks[bin] = 1;
    add_row<W>(q + i * W, hist + bin * W);
  }
}

// Lists the marked bins in increasing order, takes the marks away, and returns how many they are.
// marks, bins : padded to whole eights.
inline std::size_t take_marked(std::uint8_t* marks, std::size_t n_bins, std::uint32_t* bins) {
  std::size_t n = 0;
  for (std::size_t first = 0; first < n_bins; first += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, marks + first, sizeof eight);
    if (eight == 0) continue;
    for (std::size_t bin = first; bin < first + 8; ++bin) {  // a branch would be mispredicted
      bins[n] = static_cast<std::uint32_t>(bin);
      n += marks[bin];
    }
    std::memset(marks + first, 0, sizeof eight);
  }
  return n;
}

}  // namespace mddag
