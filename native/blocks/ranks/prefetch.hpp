// Prefetch: memory that will be read soon, fetched part by part during other work.
#pragma once

#include <algorithm>
#include <cstddef>

namespace mddag::blocks {

class Prefetch {
 public:
  Prefetch() = default;
  // n_bytes from `begin` on, in n_parts parts.
  Prefetch(const void* begin, std::size_t n_bytes, std::size_t n_parts)
      : at_(static_cast<const char*>(begin)),
        n_left_(n_bytes),
        n_each_(n_bytes / std::max<std::size_t>(n_parts, 1) + kLine) {}

  // The next part.
  void fetch() {
    const std::size_t n = std::min(n_left_, n_each_);
    for (std::size_t i = 0; i < n; i += kLine) touch(at_ + i);
    at_ += n;
    n_left_ -= n;
  }

 private:
  static constexpr std::size_t kLine = 64;

  static void touch([[maybe_unused]] const char* at) {
#ifdef __GNUC__
    __builtin_prefetch(at, 0, 2);
#endif
  }

  const char* at_ = nullptr;
  std::size_t n_left_ = 0, n_each_ = 0;
};

}  // namespace mddag::blocks
