// Rows that are known in parts: each goes on until a step wants a group of features that it lacks,
// and is resumed when the group is there.
//
//   lacking(i) = wants[step of row i] and not had by i;   row i waits while any bit is set
//
// The object keeps what rows carry between calls. One thread calls it at a time. Twin:
// tests/reference/serving.py.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ensemble/table_fault.hpp"
#include "internal/parallel.hpp"
#include "internal/span.hpp"
#include "walk/walk.hpp"

namespace mddag {

// Sets of groups, one behind the other, 64 groups to a word.
class GroupSets {
 public:
  GroupSets(std::size_t n_sets, std::size_t n_groups)
      : n_words_((n_groups + 63) / 64), words_(n_sets * n_words_, 0) {}

  std::size_t n_words() const { return n_words_; }
  void add(std::size_t set, std::size_t group) {
    words_[set * n_words_ + group / 64] |= std::uint64_t{1} << (group % 64);
  }
  bool has(std::size_t set, std::size_t group) const {
    return words_[set * n_words_ + group / 64] >> (group % 64) & 1u;
  }
  // Whether a set of `others` holds all groups of a set of this.
  bool within(std::size_t set, const GroupSets& others, std::size_t other) const {
    for (std::size_t w = 0; w < n_words_; ++w)
      if (words_[set * n_words_ + w] & ~others.words_[other * n_words_ + w]) return false;
    return true;
  }

 private:
  std::size_t n_words_;
  std::vector<std::uint64_t> words_;
};

template <class RowWalk>
class LazyRun {
 public:
  static constexpr std::size_t kBlock = 64;  // rows that one thread takes at a time

  // wants : (N, G), not 0 where step j reads group g.
  LazyRun(const RowWalk& walk, const std::uint8_t* wants, std::size_t n_groups, std::size_t n_rows)
      : walk_(walk),
        n_groups_(n_groups),
        wants_(walk.n_steps(), n_groups),
        had_(n_rows, n_groups),
        carried_(n_rows * walk.width()) {
    for (std::size_t j = 0; j < walk.n_steps(); ++j)
      for (std::size_t g = 0; g < n_groups; ++g)
        if (wants[j * n_groups + g]) wants_.add(j, g);
    walk.start(n_rows, carried_.data());
    const std::size_t first = n_rows == 0 ? 0 : walk.first_step(carried_.data());
    at_.assign(n_rows, {first, 0});
  }

  std::size_t n_rows() const { return at_.size(); }
  std::size_t n_groups() const { return n_groups_; }
  const RowWalk& walk() const { return walk_; }

  // Some rows have a group from now on.
  void give(Span<const std::int64_t> rows, std::size_t group) {
    require(rows);
    if (group >= n_groups_) refuse("there is no such group");
    for (std::size_t k = 0; k < rows.size; ++k) had_.add(static_cast<std::size_t>(rows[k]), group);
  }

  // Takes some rows on. x : (n_rows, n_features), of which the groups that a row has are read.
  // lacking : (rows, G), 1 where a row waits for a group; all 0 at its end.
  template <class T>
  void resume(const T* x, Span<const std::int64_t> rows, std::uint8_t* lacking, int n_threads) {
    require(rows);
    parallel_for((rows.size + kBlock - 1) / kBlock, n_threads, [&](std::size_t block) {
      const std::size_t end = std::min(rows.size, (block + 1) * kBlock);
      for (std::size_t k = block * kBlock; k < end; ++k) {
        const auto row = static_cast<std::size_t>(rows[k]);
        Standing& at = at_[row];
        walk_.go_on(x + row * walk_.n_features(), at, carried_.data() + row * walk_.width(),
                    [&](std::size_t step) { return wants_.within(step, had_, row); });
        for (std::size_t g = 0; g < n_groups_; ++g)
          lacking[k * n_groups_ + g] =
              at.step < walk_.n_steps() && wants_.has(at.step, g) && !had_.has(row, g);
      }
    });
  }

  // Scores (n, K), exit steps and classes (n,) of all rows as they are; codes may be null.
  void finish(double* scores, std::int32_t* exit_step, std::int64_t* codes) const {
    for (std::size_t i = 0; i < n_rows(); ++i) {
      const Standing& at = at_[i];
      const std::int64_t code = walk_.end(at.exit, carried_.data() + i * walk_.width(),
                                          at.step < walk_.n_steps(), scores + i * walk_.n_scores());
      exit_step[i] = static_cast<std::int32_t>(at.exit);
      if (codes != nullptr) codes[i] = code;
    }
  }

 private:
  // Each row once, in order: threads write to what is a row's own.
  void require(Span<const std::int64_t> rows) const {
    for (std::size_t k = 0; k < rows.size; ++k)
      if (rows[k] < 0 || static_cast<std::size_t>(rows[k]) >= n_rows() ||
          (k > 0 && rows[k] <= rows[k - 1]))
        refuse("rows do not rise within those of the run");
  }

  const RowWalk& walk_;
  std::size_t n_groups_;
  GroupSets wants_, had_;
  std::vector<std::int32_t> carried_;
  std::vector<Standing> at_;
};

}  // namespace mddag
