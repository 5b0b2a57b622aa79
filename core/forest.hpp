// A flat ensemble ready to predict.
#pragma once

#include <cstdint>
#include <vector>

#include "binning.hpp"

namespace wgb {

// The arrays of an ensemble, as they are stored. Node indices count from the tree's first node.
struct ForestArrays {
  size_t n_trees, n_nodes, n_leaves;
  int outputs;                // per leaf
  const int64_t* first_node;  // (trees + 1)
  const int64_t* first_leaf;  // (trees + 1)
  const int32_t* output;      // (trees) column of the first output
  const int32_t* feature;     // (nodes) -1: a leaf
  const double* threshold;    // (nodes) left if x <= threshold
  const uint8_t* bin;         // (nodes) the same for codes
  const uint8_t* missing_left;
  const int32_t* left;        // (nodes) the right child follows
  const int32_t* leaf;        // (nodes) row of the tree's values
  const float* values;        // (leaves, outputs)
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

  // leaf (n, last - first): the leaf of every row in every tree.
  template <class T>
  void apply(const Matrix<T>& x, size_t first, size_t last, int32_t* leaf, int n_threads) const;

  size_t n_trees() const { return trees_.size(); }
  int n_features() const { return n_features_; }
  int n_outputs() const { return n_outputs_; }
  int max_bin_of(int feature) const { return max_bin_[feature]; }

  struct Node {
    double threshold;
    float threshold32;   // the largest float not above: the same answer for float32 values
    int32_t next;        // left child, or the node itself for a leaf; counts over all trees
    int32_t feature;
    int32_t leaf;        // row of values over all trees, -1 for an inner node
    uint8_t bin;
    uint8_t missing_left;
    uint8_t inner;       // 1, or 0 for a leaf: what the right child's offset is multiplied by
  };

 private:
  struct Tree {
    int32_t root;
    int32_t depth;
    int32_t output;
    int64_t first_leaf;
  };

  template <class Row>
  void run(const Row& rows, size_t n, size_t first, size_t last, float* out, int32_t* leaf,
           int n_threads) const;

  int n_features_, n_outputs_, leaf_outputs_;
  std::vector<Node> nodes_;
  std::vector<Tree> trees_;
  std::vector<float> values_;
  std::vector<int> max_bin_;
};

}  // namespace wgb
