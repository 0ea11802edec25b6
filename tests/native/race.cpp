// A deliberate race: two threads of the pool write one number at the same time. The thread
// sanitizer must report it; with the argument "own", each has a number of its own, and it must not.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>

#include "internal/parallel.hpp"

int main(int n_arguments, char** arguments) {
  const bool own = n_arguments > 1 && std::strcmp(arguments[1], "own") == 0;
  std::atomic<int> n_here{0};
  int numbers[2] = {0, 0};
  mddag::parallel_for(2, 2, [&](std::size_t block) {
    // Both are here before either writes, and relaxed: else one write might come after the other.
    n_here.fetch_add(1, std::memory_order_relaxed);
    while (n_here.load(std::memory_order_relaxed) < 2) std::this_thread::yield();
    numbers[own ? block : 0] += 1;
  });
  std::printf("%d\n", numbers[0] + numbers[1]);
}
