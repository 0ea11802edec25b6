// Zeroed memory that begins on a cache line, so that no vector load straddles two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mddag {

template <class T>
class Aligned {
 public:
  Aligned() = default;
  explicit Aligned(std::size_t size) : lines_((size * sizeof(T) + 63) / 64), size_(size) {}

  T* data() { return reinterpret_cast<T*>(lines_.data()); }
  const T* data() const { return reinterpret_cast<const T*>(lines_.data()); }
  std::size_t size() const { return size_; }

 private:
  struct alignas(64) Line {
    std::uint8_t bytes[64];
  };
  std::vector<Line> lines_;
  std::size_t size_ = 0;
};

}  // namespace mddag
