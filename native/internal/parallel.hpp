// Split a range of blocks over threads. Which thread takes which block is not defined, so a body
// must write to its own block alone; then the result cannot depend on the number of threads.
//
// The threads of the pool, its workers, sleep between calls: starting a thread takes longer than
// many a kernel. They work for one call at a time; a second call meanwhile runs in its own thread
// alone. A forked child has none of its parent's threads and makes its own pool. No lock is held
// while the pool is made: one that another thread of the parent held at the fork would stay locked
// in the child for ever.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#ifndef _WIN32
#include <unistd.h>
#endif

namespace mddag {

class Pool {
 public:
  struct Job {
    void (*body)(const void* context, std::size_t block);
    const void* context;
    std::size_t n_blocks;
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    std::exception_ptr error{};

    // The first exception of a body ends the job; it is kept for the caller, since a worker has
    // no caller of its own.
    void work() noexcept {
      try {
        for (std::size_t block = next++; block < n_blocks; block = next++) body(context, block);
      } catch (...) {
        next = n_blocks;
        if (!failed.exchange(true)) error = std::current_exception();
      }
    }
  };

  // The pool of this process. Never destroyed: its workers sleep until the process ends.
  static Pool& instance() {
    static std::atomic<Pool*> current{nullptr};
    Pool* pool = current.load();
    if (pool != nullptr && pool->owner_ == process()) return *pool;
    auto made = std::make_unique<Pool>();
    if (current.compare_exchange_strong(pool, made.get())) return *made.release();
    return *pool;  // another thread was faster
  }

  // Does the job with up to n_workers threads beside the caller's; alone if the pool is taken.
  // Whatever the bodies throw, no thread works on the job any more when this returns.
  void run(Job& job, std::size_t n_workers) {
    std::unique_lock<std::mutex> locked(mutex_);
    if (job_ != nullptr) {
      locked.unlock();
      job.work();
      return;
    }
    start(n_workers);
    job_ = &job;
    n_wanted_ = std::min(n_workers, n_started_);
    locked.unlock();
    wake_.notify_all();
    job.work();
    locked.lock();
    n_wanted_ = 0;  // workers that have not come by now are not needed
    locked.unlock();
    poll([this] { return n_active_ == 0; });
    locked.lock();
    done_.wait(locked, [this] { return n_active_ == 0; });
    job_ = nullptr;
  }

 private:
  static long process() {
#ifdef _WIN32
    return 1;
#else
    return static_cast<long>(getpid());
#endif
  }

  // More workers than cores only take turns. Where the system gives fewer, fewer must do.
  void start(std::size_t n_workers) {
    try {
      for (; n_started_ < std::min(n_workers, n_cores_); ++n_started_)
        std::thread([this] { serve(); }).detach();
    } catch (const std::exception&) {
    }
  }

  // Boosting calls again and again within a fraction of a millisecond, and falling asleep and being
  // woken takes about as long: poll a while before sleeping, yielding the core to other threads.
  template <class Condition>
  static void poll(const Condition& condition) {
    for (int i = 0; i < 400 && !condition(); ++i) std::this_thread::yield();
  }

  void serve() {
    std::unique_lock<std::mutex> locked(mutex_);
    for (;;) {
      locked.unlock();
      poll([this] { return n_wanted_ > 0; });
      locked.lock();
      wake_.wait(locked, [this] { return n_wanted_ > 0; });
      --n_wanted_;
      ++n_active_;
      Job* job = job_;
      locked.unlock();
      job->work();
      locked.lock();
      if (--n_active_ == 0) done_.notify_one();
    }
  }

  const long owner_ = process();
  const std::size_t n_cores_ = std::max(std::thread::hardware_concurrency(), 1u);
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  Job* job_ = nullptr;
  std::size_t n_started_ = 0;
  std::atomic<std::size_t> n_wanted_{0}, n_active_{0};  // changed under the lock, read without
};

// Calls body(block) for every block in 0..n_blocks-1. Where bodies throw, blocks may be left out
// and the first exception is thrown here.
template <class Body>
void parallel_for(std::size_t n_blocks, int n_threads, const Body& body) {
  const auto n_used = std::min(n_blocks, static_cast<std::size_t>(n_threads > 1 ? n_threads : 1));
  Pool::Job job{
      [](const void* context, std::size_t block) { (*static_cast<const Body*>(context))(block); },
      &body, n_blocks};
  if (n_used > 1) {
    Pool::instance().run(job, n_used - 1);
  } else {
    job.work();
  }
  if (job.error) std::rethrow_exception(job.error);
}

}  // namespace mddag
