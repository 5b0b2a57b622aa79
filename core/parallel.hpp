// A team of threads that lives for one call into the core: nothing survives a fork, nothing is
// shared between calls. Work is cut independently of the team's size, so results are too.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace wgb {

// Who called the core, on the calling thread: `check` throws when it wants the work to end.
struct Caller {
  using Clock = std::chrono::steady_clock;
  void (*check)() = nullptr;
  Clock::time_point checked{};

  void ask() {
    if (!check) return;
    const Clock::time_point now = Clock::now();
    if (now - checked < std::chrono::milliseconds(50)) return;
    checked = now;
    check();
  }
};
inline thread_local Caller caller;

class Team {
 public:
  explicit Team(int size) {
    threads_.reserve(static_cast<size_t>(std::max(0, size - 1)));
    try {
      for (int i = 1; i < size; ++i) threads_.emplace_back([this] { serve(); });
    } catch (const std::system_error&) {
      // The system gives no more threads: those that started do the work.
    }
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  ~Team() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      closing_ = true;
    }
    wake_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

  int size() const { return static_cast<int>(threads_.size()) + 1; }

  // Calls task(i) once for each i in [0, n) and returns when all have ended. The first
  // exception of a task, or of the caller who is asked in between, ends the rest and is thrown here.
  void run(int n, const std::function<void(int)>& task) {
    if (threads_.empty() || n <= 1) {
      for (int i = 0; i < n; ++i) {
        caller.ask();
        task(i);
      }
      return;
    }
    {
      std::lock_guard<std::mutex> lock(mutex_);
      task_ = &task;
      n_ = n;
      next_.store(0);
      busy_.store(static_cast<int>(threads_.size()));
      generation_.fetch_add(1);
    }
    wake_.notify_all();
    work();
    for (int i = 0; i < kSpins && busy_.load() > 0; ++i) std::this_thread::yield();
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, [this] { return busy_.load() == 0; });
    if (error_) {
      std::exception_ptr error = error_;
      error_ = nullptr;
      std::rethrow_exception(error);
    }
  }

  // The same over [0, n) cut into ranges of `step`, whatever the team's size.
  void run_ranges(size_t n, size_t step, const std::function<void(size_t, size_t)>& task) {
    const int pieces = static_cast<int>((n + step - 1) / step);
    run(pieces, [&](int i) {
      const size_t begin = static_cast<size_t>(i) * step;
      task(begin, std::min(n, begin + step));
    });
  }

 private:
  void work() {
    for (int i = next_.fetch_add(1); i < n_; i = next_.fetch_add(1)) {
      try {
        caller.ask();
        (*task_)(i);
      } catch (...) {
        std::lock_guard<std::mutex> lock(mutex_);
        if (!error_) error_ = std::current_exception();
        next_.store(n_);
      }
    }
  }

  void serve() {
    uint64_t seen = 0;
    while (true) {
      // Rounds of work follow each other closely: a short look saves most sleeps.
      for (int i = 0; i < kSpins && generation_.load() == seen; ++i) std::this_thread::yield();
      std::unique_lock<std::mutex> lock(mutex_);
      wake_.wait(lock, [&] { return closing_ || generation_.load() != seen; });
      if (closing_) return;
      seen = generation_.load();
      lock.unlock();
      work();
      lock.lock();
      if (busy_.fetch_sub(1) == 1) done_.notify_one();
    }
  }

  static constexpr int kSpins = 200;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(int)>* task_ = nullptr;
  int n_ = 0;
  std::atomic<int> next_{0};
  std::atomic<int> busy_{0};
  std::atomic<uint64_t> generation_{0};
  bool closing_ = false;
  std::exception_ptr error_;
};

// Where piece i of n things begins when they are cut into `pieces`.
inline int part(int n, int i, int pieces) {
  return static_cast<int>(static_cast<int64_t>(n) * i / pieces);
}

// How many of at most `n_threads` threads are worth waking for `work` units, when `unit` of them
// take about as long as a thread takes to start.
inline int useful_threads(int n_threads, double work, double unit) {
  return std::max(1, static_cast<int>(std::min<double>(n_threads, work / unit)));
}

}  // namespace wgb
