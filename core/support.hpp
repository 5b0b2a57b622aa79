// What a tree has not seen of a row: its support W.
//
// At each step down the tree, from a node to its child, d is the distance of the row's value to the
// range of the child's training rows, and W is multiplied by exp(-(d / scale)^2 / 2), where scale is
// the reach of the feature plus the mean spacing of the node's rows. A missing value where the node
// missed none, and a category that it did not see, make W = 0. A value beyond all training rows by e
// multiplies W of every tree by 1 - r (1 - exp(-(e / reach)^2 / 2)), where r is the share of paths
// that ask for its feature.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "answers.hpp"
#include "binning.hpp"
#include "boundaries.hpp"

namespace wgb {

// Raw values of either type.
struct RawRows {
  const float* floats = nullptr;
  const double* doubles = nullptr;
  int64_t row_stride, column_stride;

  explicit RawRows(const Matrix<float>& x)
      : floats(x.data), row_stride(x.row_stride), column_stride(x.column_stride) {}
  explicit RawRows(const Matrix<double>& x)
      : doubles(x.data), row_stride(x.row_stride), column_stride(x.column_stride) {}
  double at(size_t row, int column) const {
    const int64_t i = static_cast<int64_t>(row) * row_stride + column * column_stride;
    return floats ? static_cast<double>(floats[i]) : doubles[i];
  }
};

// What is asked of some rows, and where it goes.
struct SupportTask {
  const double* reach;       // (features) in units of the feature
  const double* low;         // (features) smallest training value
  const double* high;        // (features)
  const double* asked;       // (features) share of paths that ask for it
  const float* contrast;     // (trees, outputs of a leaf) what is added for lost support, or null
  bool left_out;             // the rows are training rows, and each is left out
  double* lack;              // (n) += 1 - W of each tree
  float* lost;               // (n, outputs) += (1 - W) contrast, or null
  double* by_feature;        // (n, features) += 1 - W, divided among features; or null
};

// A task at work on the rows of one thread.
class SupportPass {
 public:
  SupportPass(const SupportTask& task, const RawRows& rows, const Boundaries& boundaries,
              const std::vector<ForestNode>& nodes, const std::vector<ForestTree>& trees,
              const std::vector<int>& used,
              int n_features, size_t outputs, size_t leaf_outputs)
      : task_(task), rows_(rows), boundaries_(boundaries), nodes_(nodes), trees_(trees),
        used_(used),
        n_features_(static_cast<size_t>(n_features)), outputs_(outputs),
        leaf_outputs_(leaf_outputs) {}

  // Whether rows within the hulls on their path may lack support as well.
  bool looks_at_all() const { return task_.left_out || task_.by_feature; }
  // The factors of W of all trees for the rows of a block, and the rows whose factor is below 1.
  struct Common {
    double factor[kRowsPerBlock];
    uint8_t rows[kRowsPerBlock];
    size_t n;
  };
  void find_common(size_t begin, size_t n, Common& common) const;

  struct Place {
    size_t tree, begin, rows;  // the rows of the block
  };
  // Counts a tree's answers for rows of a block, and replaces what stands for lost rows by their
  // leaves.
  void add(const Asking& asking, const Place& place, const Common& common, const uint8_t* lost,
           size_t n_lost, int32_t* leaf) const;

 private:
  double inside(size_t row, int feature) const;
  double penalty(size_t row, int32_t node, const Sets& sets) const;
  double follow(const Asking& asking, size_t r, size_t row, int32_t node, int32_t* leaf) const;
  double climb(size_t row, int32_t node, const Sets& sets) const;
  void count(size_t tree, size_t row, double support) const;
  void divide(size_t row, int32_t node, double penalties, double support, const Sets& sets) const;

  const SupportTask& task_;
  const RawRows& rows_;
  const Boundaries& boundaries_;
  const std::vector<ForestNode>& nodes_;
  const std::vector<ForestTree>& trees_;
  const std::vector<int>& used_;
  size_t n_features_, outputs_, leaf_outputs_;
};

// exp(-x) for x >= 0, the same bits on every CPU.
double exp_minus(double x);

}  // namespace wgb
