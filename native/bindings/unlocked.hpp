// Python's lock, released for as long as this lives.
//
// Taking the lock again while the interpreter ends would end the thread by unwinding the stack, and
// with it the process: nanobind's frames let nothing pass (std::terminate). So threads that come
// back once the interpreter has begun to end wait here until the process is gone.
#pragma once

#include <Python.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace mddag {

class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  ~Unlocked() {
    ++returning_;
    if (ending_ && std::this_thread::get_id() != ended_by_) {
      --returning_;
      for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
    }
    PyEval_RestoreThread(state_);
    --returning_;
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

  // To be called at exit, with the lock: threads that already wait for it get it first. Not for
  // longer than a second: a fork may have copied a count that no thread takes back.
  static void end() {
    ended_by_ = std::this_thread::get_id();
    ending_ = true;
    PyThreadState* state = PyEval_SaveThread();
    for (int i = 0; i < 1000 && returning_ > 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    PyEval_RestoreThread(state);
  }

 private:
  PyThreadState* state_;
  inline static std::atomic<int> returning_{0};
  inline static std::atomic<bool> ending_{false};
  inline static std::thread::id ended_by_;
};

}  // namespace mddag
