// Sums of lanes per (feature, bin), laid out [feature][bin][lane].
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lanes.hpp"
#include "workspace.hpp"

namespace wgb {

// The binned matrix and the features a tree may use. The bin after a feature's last holds its
// missing values.
struct Columns {
  const uint8_t* codes;             // column after column, each of n rows
  size_t n;
  std::vector<int32_t> feature;     // features in use
  std::vector<int32_t> bins;        // bins of each, without the missing one
  std::vector<uint8_t> categorical; // whether codes are categories, without an order
  std::vector<float> signal;        // of categories: variance of the levels in units of a row's
  std::vector<size_t> offset;       // first histogram row of each, and the total at the end
  int size() const { return static_cast<int>(feature.size()); }
  const uint8_t* column(int i) const { return codes + static_cast<size_t>(feature[i]) * n; }
  size_t rows() const { return offset.back(); }
  bool any_categorical() const {
    return std::find(categorical.begin(), categorical.end(), 1) != categorical.end();
  }
};

// The bins of each feature that the rows of a node may have, in ascending order. The missing bin is
// not listed: a node always has its sum. What a histogram holds in other bins has no meaning.
class BinLists {
 public:
  explicit BinLists(const Columns& columns)
      : codes_(columns.rows()), size_(static_cast<size_t>(columns.size())) {}
  static BinLists all(const Columns& columns);

  const uint8_t* of(const Columns& columns, int f) const { return codes_.data() + columns.offset[f]; }
  uint8_t* of(const Columns& columns, int f) { return codes_.data() + columns.offset[f]; }
  int size(int f) const { return size_[static_cast<size_t>(f)]; }
  void set_size(int f, int n) { size_[static_cast<size_t>(f)] = static_cast<uint16_t>(n); }
  void set_all(const Columns& columns, int f);

 private:
  std::vector<uint8_t> codes_;
  std::vector<uint16_t> size_;  // (features)
};

// A float32 lane that sums more rows than this loses digits: partial sums are added up instead.
constexpr size_t kRowsPerPartial = size_t(1) << 16;

// Adds data rows to the histogram rows of features [first, last): at most kRowsPerPartial of them,
// rows[0, n), or [from, from + n) when `rows` is null. `lanes` are theirs, one behind the other.
void add_to_histogram(const Columns& columns, const float* lanes, int width, const uint32_t* rows,
                      size_t from, size_t n, int first, int last, float* histogram);

// Overwrites the histogram with the sums over any number of data rows, order[begin, end), or
// [begin, end) themselves when `order` is null. `lanes` are those of all data rows, which have no
// other bins than those that are listed.
void build_histogram(const Columns& columns, const BinLists& listed, const float* lanes, int width,
                     const uint32_t* order, size_t begin, size_t end, float* histogram, Team& team,
                     Workspace& workspace);

// large -= small in the listed bins of features [first, last).
void subtract_histogram(const Columns& columns, const Layout& layout, const BinLists& listed,
                        int first, int last, const float* small, float* large);

// to += from
void add_floats(const float* from, float* to, size_t n);

}  // namespace wgb
