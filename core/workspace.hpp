// Memory that is used again from round to round: fresh pages are cleared by the system, which at
// a million rows costs as much as growing the tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace wgb {

class Workspace {
 public:
  // A block of memory, aligned for whole vectors and not initialised, that goes back to the
  // workspace when it is dropped.
  class Lease {
   public:
    Lease() = default;
    Lease(Lease&& other) noexcept { *this = std::move(other); }
    Lease& operator=(Lease&& other) noexcept {
      std::swap(home_, other.home_);
      std::swap(memory_, other.memory_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Lease() {
      if (memory_) home_->give(std::move(memory_), bytes_);
    }
    float* floats() const { return static_cast<float*>(start()); }
    uint32_t* indices() const { return static_cast<uint32_t*>(start()); }
    explicit operator bool() const { return memory_ != nullptr; }

   private:
    friend class Workspace;
    void* start() const {
      const auto address = reinterpret_cast<uintptr_t>(memory_.get());
      return reinterpret_cast<void*>((address + 63) & ~uintptr_t(63));
    }
    Workspace* home_ = nullptr;
    std::unique_ptr<char[]> memory_;
    size_t bytes_ = 0;
  };

  Lease floats(size_t n) { return take(n * sizeof(float)); }
  Lease indices(size_t n) { return take(n * sizeof(uint32_t)); }

 private:
  Lease take(size_t bytes) {
    Lease lease;
    lease.home_ = this;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      size_t best = free_.size();
      for (size_t i = 0; i < free_.size(); ++i)
        if (free_[i].second >= bytes && free_[i].second / 2 <= bytes &&
            (best == free_.size() || free_[i].second < free_[best].second))
          best = i;
      if (best < free_.size()) {
        lease.memory_ = std::move(free_[best].first);
        lease.bytes_ = free_[best].second;
        free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(best));
        return lease;
      }
      // Rounds ask for the same sizes again and again. Another one means other data: what lies
      // idle was for the former.
      free_.clear();
    }
    lease.memory_.reset(new char[bytes + 64]);
    lease.bytes_ = bytes;
    return lease;
  }

  void give(std::unique_ptr<char[]> memory, size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    free_.emplace_back(std::move(memory), bytes);
  }

  std::mutex mutex_;
  std::vector<std::pair<std::unique_ptr<char[]>, size_t>> free_;
};

using Lease = Workspace::Lease;

}  // namespace wgb
