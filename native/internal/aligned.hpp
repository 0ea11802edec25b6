// Memory that begins on a cache line, so that no vector load straddles two. It is zeroed, unless it
// is to be filled anyway: for few rows that would take longer than all else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

namespace mddag {

struct Unset {};

template <class T>
class Aligned {
 public:
  Aligned() = default;
  explicit Aligned(std::size_t size) : Aligned(size, Unset{}) {
    if (size > 0) std::memset(lines_.get(), 0, size * sizeof(T));
  }
  Aligned(std::size_t size, Unset) : lines_(new Line[(size * sizeof(T) + 63) / 64]), size_(size) {}

  T* data() { return reinterpret_cast<T*>(lines_.get()); }
  const T* data() const { return reinterpret_cast<const T*>(lines_.get()); }
  std::size_t size() const { return size_; }

 private:
  struct alignas(64) Line {
    std::uint8_t bytes[64];
  };
  std::unique_ptr<Line[]> lines_;
  std::size_t size_ = 0;
};

}  // namespace mddag
