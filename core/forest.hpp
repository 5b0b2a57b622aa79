// A flat ensemble ready to predict.
#pragma once

#include <cstdint>
#include <vector>

#include "binning.hpp"
#include "boundaries.hpp"
#include "categories.hpp"
#include "support.hpp"

namespace wgb {

// The arrays of an ensemble, as they are stored. Node indices count from the tree's first node.
struct ForestArrays {
  size_t n_trees, n_nodes, n_leaves, n_sets;
  int outputs;                // per leaf
  const int64_t* first_node;  // (trees + 1)
  const int64_t* first_leaf;  // (trees + 1)
  const int64_t* first_set;   // (trees + 1)
  const int32_t* output;      // (trees) column of the first output
  const int32_t* feature;     // (nodes) -1: a leaf
  const double* threshold;    // (nodes) left if x <= threshold
  const uint8_t* bin;         // (nodes) the same for codes
  const uint8_t* missing_left;
  const int32_t* category_set;  // (nodes) row of the tree's sets of codes that go left; -1: none
  const int32_t* left;        // (nodes) the right child follows
  const int32_t* leaf;        // (nodes) row of the tree's values
  const float* values;        // (leaves, outputs)
  const uint32_t* sets;       // (sets, 8) bits
  const RangeArrays* ranges;  // of training rows, or null
};

class Forest {
 public:
  // Throws std::invalid_argument when any index, size or bound is wrong: after that no input can
  // make a prediction read outside the arrays or run forever.
  Forest(const ForestArrays& arrays, int n_features, int n_outputs);

  // out (n, n_outputs) += values of trees [first, last), in that order.
  template <class T>
  void predict(const Matrix<T>& x, size_t first, size_t last, float* out, int n_threads) const;
  void predict_codes(const Matrix<uint8_t>& codes, const int32_t* n_bins, size_t first,
                     size_t last, float* out, int n_threads) const;

  // ranks (n_used, n): see below. For many predictions on the same rows.
  template <class T>
  void rank(const Matrix<T>& x, uint16_t* ranks, int n_threads) const;
  void predict_ranks(const uint16_t* ranks, size_t n, size_t first, size_t last, float* out,
                     int n_threads) const;

  // The same for raw values, and what the trees' training rows do not support of them, see
  // `Support`. With `ranks`, those of x. Without `out` no leaf values are added.
  template <class T>
  void predict_supported(const Matrix<T>& x, const uint16_t* ranks, size_t first, size_t last,
                         float* out, const SupportTask& task, int n_threads) const;

  // share (n_features) += share of the training rows' paths that ask for a feature, of each tree.
  void add_asked(const int64_t* cover, size_t first, size_t last, double* share) const;

  // leaf (n, last - first): the leaf of every row in every tree.
  template <class T>
  void apply(const Matrix<T>& x, size_t first, size_t last, int32_t* leaf, int n_threads) const;

  size_t n_nodes() const { return nodes_.size(); }
  size_t n_trees() const { return trees_.size(); }
  int n_features() const { return n_features_; }
  int n_outputs() const { return n_outputs_; }
  size_t n_used() const { return used_.size(); }
  size_t leaf_outputs() const { return leaf_outputs_; }
  bool knows_ranges() const { return !boundaries_.empty(); }

 private:
  // Runs the trees over blocks of rows. `read(begin, end, high)` fills (n_used, rows of a block).
  template <class Read>
  void run(size_t n, const Read& read, bool by_bin, size_t first, size_t last, float* out,
           int32_t* leaf, const SupportPass* support, int n_threads) const;
  template <class T>
  void run_raw(const Matrix<T>& x, size_t first, size_t last, float* out, int32_t* leaf,
               int n_threads) const;
  template <class T>
  void rank_rows(const Matrix<T>& x, size_t begin, size_t end, uint16_t* ranks,
                 size_t stride) const;

  int n_features_, n_outputs_;
  size_t leaf_outputs_;
  std::vector<ForestNode> nodes_;
  std::vector<ForestTree> trees_;
  std::vector<float> values_;  // (leaves, leaf_outputs)
  std::vector<CategorySet> sets_;
  std::vector<uint32_t> set_of_;  // (nodes), empty without sets
  // A value's rank is the number of the feature's thresholds below it: what is compared at every
  // node is a small integer, found once per row and feature.
  std::vector<int> used_;
  std::vector<std::vector<double>> thresholds_;  // of the features in use, ascending
  Boundaries boundaries_;  // ends of ranges are among the thresholds
};

}  // namespace wgb
