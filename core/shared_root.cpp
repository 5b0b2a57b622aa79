#include "shared_root.hpp"

#include <algorithm>
#include <cstring>

namespace wgb {
namespace {

constexpr size_t kRowsPerChunk = 4096;  // rows widened at a time: they stay in the cache

// The lanes of all trees side by side, what they have in common once.
class SharedRoot {
 public:
  SharedRoot(const GrowTask& task, const Layout& layout, const std::vector<float*>& lanes)
      : task_(task), layout_(layout), lanes_(lanes) {
    for (int l = 0; l < layout.k; ++l) own_.push_back(l);
    common_.push_back(layout.count);
    if (layout.shared < 0)
      for (int l = 0; l < layout.k; ++l) own_.push_back(layout.block + l);
    else if (task.targets.curvature)
      own_.push_back(layout.shared);
    else if (layout.shared != layout.count)
      common_.push_back(layout.shared);
    wide_ = (static_cast<int>(lanes.size() * own_.size() + common_.size()) + 7) / 8 * 8;
  }

  std::vector<Lease> build(Team& team) const {
    const Columns& columns = task_.columns;
    const size_t wide = static_cast<size_t>(wide_), floats = columns.rows() * wide;
    const Lease sum = task_.workspace->floats(floats), partial = task_.workspace->floats(floats);
    const Lease chunk = task_.workspace->floats(kRowsPerChunk * wide);
    std::fill_n(sum.floats(), floats, 0.0f);
    const int p = columns.size(), pieces = std::min(p, team.size());
    for (size_t from = 0; from < task_.n_rows; from += kRowsPerPartial) {
      std::fill_n(partial.floats(), floats, 0.0f);
      const size_t to = std::min(task_.n_rows, from + kRowsPerPartial);
      for (size_t begin = from; begin < to; begin += kRowsPerChunk) {
        const size_t end = std::min(to, begin + kRowsPerChunk);
        team.run_ranges(end - begin, kRowsPerChunk / 8, [&](size_t a, size_t b) {
          for (size_t i = a; i < b; ++i)
            widen(task_.rows ? task_.rows[begin + i] : begin + i, chunk.floats() + i * wide);
        });
        team.run(pieces, [&](int piece) {
          add_to_histogram(columns, chunk.floats(), wide_, task_.rows ? task_.rows + begin : nullptr,
                           begin, end - begin, part(p, piece, pieces), part(p, piece + 1, pieces),
                           partial.floats());
        });
      }
      add_floats(partial.floats(), sum.floats(), floats);
    }
    std::vector<Lease> roots(lanes_.size());
    team.run(static_cast<int>(roots.size()), [&](int tree) {
      const size_t width = static_cast<size_t>(layout_.width);
      roots[tree] = task_.workspace->floats(columns.rows() * width);
      for (size_t row = 0; row < columns.rows(); ++row)
        narrow(sum.floats() + row * wide, tree, roots[tree].floats() + row * width);
    });
    return roots;
  }

 private:
  void widen(size_t row, float* out) const {
    const size_t at = row * static_cast<size_t>(layout_.width);
    const int k = layout_.k, more = static_cast<int>(own_.size()) - k;
    if (k == 2 && more == 0) {
      for (const float* lanes : lanes_) {  // the usual case, in moves of 8 bytes
        std::memcpy(out, lanes + at, 2 * sizeof(float));
        out += 2;
      }
    } else {
      for (const float* lanes : lanes_) {
        for (int l = 0; l < k; ++l) *out++ = lanes[at + l];
        for (int l = 0; l < more; ++l) *out++ = lanes[at + own_[k + l]];
      }
    }
    for (const int l : common_) *out++ = lanes_[0][at + l];
    // The padding: read by whole-vector sums, so it has to be a number.
    const int filled = static_cast<int>(lanes_.size() * own_.size() + common_.size());
    std::fill_n(out, wide_ - filled, 0.0f);
  }

  void narrow(const float* in, int tree, float* out) const {
    std::fill_n(out, layout_.width, 0.0f);
    const size_t first = static_cast<size_t>(tree) * own_.size();
    for (size_t i = 0; i < own_.size(); ++i) out[own_[i]] = in[first + i];
    const float* shared = in + lanes_.size() * own_.size();
    for (size_t i = 0; i < common_.size(); ++i) out[common_[i]] = shared[i];
  }

  const GrowTask& task_;
  const Layout& layout_;
  const std::vector<float*>& lanes_;
  std::vector<int> own_, common_;
  int wide_;
};

}  // namespace

std::vector<Lease> shared_root_pass(const GrowTask& task, const Layout& layout,
                                    const std::vector<float*>& lanes, Team& team) {
  return SharedRoot(task, layout, lanes).build(team);
}

}  // namespace wgb
