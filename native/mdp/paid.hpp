// The doubled state: the scores, and whether all groups of features that step j reads are there
// already. The native side of src/mddag/mdp/paid.py; mdp/state.hpp lists what a state must provide.
// Twin: tests/reference/charges.py.
//
//   part = top class + K x [all groups of step j were read by steps that were evaluated]
//
// PaidState is that of policies, ChargedState that of learning: it carries what is paid as well,
// which may be less than what was there to be read, where a row pays for its own path alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "internal/span.hpp"
#include "mdp/charges.hpp"
#include "mdp/grid.hpp"
#include "mdp/state.hpp"

namespace mddag {

// A row carries K scores, then the words of the groups that it has read.
struct PaidState {
  static constexpr bool kFolds = false;
  static constexpr bool kCharges = false;

  Grid grid;
  std::size_t n_scores;
  Span<const std::uint32_t> wants;  // (N, n_words), by step
  std::size_t n_words;

  std::size_t width() const { return n_scores + n_words; }
  std::size_t n_parts() const { return 2 * n_scores; }
  std::size_t n_cells() const { return grid.n_cells() * n_parts(); }

  void start(const double* bias, std::size_t n, double* f) const {
    for (std::size_t i = 0; i < n; ++i, f += width()) start_row(bias, f);
  }

  CellOfPart locate(std::size_t j, const double* f) const {
    const auto read = state_of<double>(f, n_scores);
    const std::size_t part = read.part + (has(j, f) ? n_scores : 0);
    return {part, static_cast<std::size_t>(grid.below(read.s))};
  }
  std::size_t cell(std::size_t j, const double* f) const {
    const CellOfPart at = locate(j, f);
    return at.part * grid.n_cells() + at.cell;
  }

  template <class Votes>
  void add(const Votes& votes, std::size_t i, std::size_t j, std::size_t h, double* f) const {
    votes.add(i, h, f);
    for (std::size_t w = 0; w < n_words; ++w) {
      const auto had = static_cast<std::uint32_t>(f[n_scores + w]);
      f[n_scores + w] = had | wants[j * n_words + w];
    }
  }

  void start_row(const double* bias, double* f) const {
    std::copy_n(bias, n_scores, f);
    std::fill_n(f + n_scores, n_words, 0.0);
  }

 private:
  // Behind all steps there is nothing to read: false, as in paid.py.
  bool has(std::size_t j, const double* f) const {
    if (j * n_words >= wants.size) return false;
    for (std::size_t w = 0; w < n_words; ++w)
      if (wants[j * n_words + w] & ~static_cast<std::uint32_t>(f[n_scores + w])) return false;
    return true;
  }
};

// The same with the words of the groups that the row has paid behind. Step j is base classifier j.
struct ChargedState {
  static constexpr bool kFolds = false;
  static constexpr bool kCharges = true;

  PaidState read;
  Charges charges;
  std::size_t n_scores;

  ChargedState(const Grid& grid, std::size_t n, const Charges& of)
      : read{grid, n, of.wants, of.n_words}, charges(of), n_scores(n) {}

  std::size_t width() const { return read.width() + charges.n_words; }
  std::size_t n_parts() const { return read.n_parts(); }
  std::size_t n_cells() const { return read.n_cells(); }

  void start(const double* bias, std::size_t n, double* f) const {
    for (std::size_t i = 0; i < n; ++i, f += width()) {
      read.start_row(bias, f);
      std::fill_n(f + read.width(), charges.n_words, 0.0);
    }
  }

  CellOfPart locate(std::size_t j, const double* f) const { return read.locate(j, f); }
  std::size_t cell(std::size_t j, const double* f) const { return read.cell(j, f); }

  // Returns what the row pays.
  template <class Votes>
  double charged(const Votes& votes, std::size_t i, std::size_t j, std::size_t h, double* f) const {
    read.add(votes, i, j, h, f);
    return charges.pay(votes, i, h, f + read.width());
  }
};

}  // namespace mddag
