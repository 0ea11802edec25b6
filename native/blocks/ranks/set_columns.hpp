// SetColumns: the sets of categories that splits on one feature ask for, each a column of bytes of
// its own, so that the kernels of numeric splits serve nominal ones, too: a row inside the set has
// the lowest byte, which any split sends left, any other row the highest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>
#include <vector>

#include "blocks/kernels/kernels.hpp"
#include "ensemble/node.hpp"

namespace mddag::blocks {

class SetColumns {
 public:
  // Of longer sets trees are walked: a column takes a byte for each category.
  static constexpr std::int32_t kMostWords = 64;

  SetColumns() = default;

  // words : of all trees, in which the nodes count
  SetColumns(const std::vector<const Node*>& splits, const std::uint32_t* words) : words_(words) {
    for (const Node* split : splits)
      if (split->n_words > 0) column_.emplace(set_of(*split), 0);
    std::size_t n_words = 0, column = 0;
    for (auto& [set, its_column] : column_) {
      n_words = std::max(n_words, set.first.size());
      its_column = column++;
    }
    n_categories_ = 32 * n_words;
    width_ = std::max(n_categories_ + 2, kTable);
    bytes_.assign(column * width_, kOutside);
    for (const auto& [set, its_column] : column_) {
      const auto& [members, missing_left] = set;
      std::int8_t* bytes = bytes_.data() + its_column * width_;
      for (std::size_t c = 0; c < 32 * members.size(); ++c)
        if (members[c / 32] >> (c % 32) & 1u) bytes[c] = kInside;
      if (missing_left) bytes[n_categories_ + 1] = kInside;
    }
  }

  std::size_t size() const { return column_.size(); }
  std::size_t column(const Node& split) const { return column_.at(set_of(split)); }

  // The bytes of n <= kChunk rows in all columns, `stride` bytes apart.
  template <class T, std::size_t kChunk>
  void fill(const Kernels& kernels, const Values<T>& values, std::int8_t* out,
            std::size_t stride) const {
    if (width_ == kTable) {
      std::uint8_t index[kChunk + kLanes] = {};
      for (std::size_t i = 0; i < values.n; ++i)
        index[i] = static_cast<std::uint8_t>(place(values, i));
      const std::size_t n = (values.n + kernels.lanes - 1) / kernels.lanes * kernels.lanes;
      kernels.lookups(bytes_.data(), size(), index, n, out, stride);
      return;
    }
    std::uint16_t index[kChunk];
    for (std::size_t i = 0; i < values.n; ++i)
      index[i] = static_cast<std::uint16_t>(place(values, i));
    for (std::size_t s = 0; s < size(); ++s)
      for (std::size_t i = 0; i < values.n; ++i)
        out[s * stride + i] = bytes_[s * width_ + index[i]];
  }

 private:
  using Set = std::pair<std::vector<std::uint32_t>, bool>;  // words, whether missing values go left

  static constexpr std::size_t kTable = 128;  // bytes that a kernel looks up at once
  static constexpr std::int8_t kInside = std::numeric_limits<std::int8_t>::min();
  static constexpr std::int8_t kOutside = std::numeric_limits<std::int8_t>::max();

  Set set_of(const Node& split) const {
    const std::uint32_t* first = words_ + split.word;
    Set set{{first, first + split.n_words}, split.missing_left != 0};
    while (!set.first.empty() && set.first.back() == 0) set.first.pop_back();
    return set;
  }

  // Where a value stands in a table: at its category, behind all of them, or behind those if it is
  // missing. Truncation towards zero reads a category, as in_set does.
  template <class T>
  std::size_t place(const Values<T>& values, std::size_t i) const {
    T value;
    if constexpr (std::is_same_v<T, float>)
      value = values.rounded[i];
    else
      value = values.exact[static_cast<std::ptrdiff_t>(i) * values.stride];
    if (value > -1 && value < static_cast<T>(n_categories_))
      return static_cast<std::size_t>(value > 0 ? value : 0);
    return n_categories_ + (value != value);
  }

  const std::uint32_t* words_ = nullptr;
  std::map<Set, std::size_t> column_;
  std::size_t n_categories_ = 0, width_ = kTable;
  std::vector<std::int8_t> bytes_;  // (sets, width_)
};

}  // namespace mddag::blocks
