// Where the training rows of the nodes of a flat ensemble end.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "forest_nodes.hpp"
#include "ranges.hpp"

namespace wgb {

struct ForestArrays;

// The ranges of training rows as they are stored. A table has the ends of the bins of all features
// in one fit; a model that was continued with other bins has several.
struct RangeArrays {
  const uint8_t* codes;      // (nodes, 4) as CodeRange, on the parent's feature
  const uint8_t* missing;    // (nodes) rows whose value the node misses: 0, 1, 2 for more
  const uint32_t* seen;      // (sets, 16) categories of one row, and those of several
  const int64_t* cover;      // (nodes) rows that were drawn
  const int32_t* table;      // (trees)
  size_t n_tables, n_bins;   // of all tables and features
  const int64_t* rows;       // (tables) training rows
  const int64_t* first_bin;  // (tables * features + 1)
  const double* low;         // (bins) smallest training value in it
  const double* high;        // (bins)
};

// The range of a node's rows on its parent's feature, all that is needed beside it. Empty: the wrong
// way round.
struct NodeEnds {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  double spacing = 0;  // mean distance of the parent's rows
};

struct Boundaries {
  std::vector<NodeEnds> ends;    // (nodes)
  std::vector<CodeRange> codes;  // (nodes)
  std::vector<uint8_t> missing;  // (nodes)
  std::vector<int32_t> parent;   // (nodes), -1 for a root
  std::vector<int32_t> bins;     // (nodes) first bin of the feature that the node splits
  std::vector<int32_t> node_of;  // (leaves)
  std::vector<SeenCategories> seen;  // (sets)
  std::vector<double> low, high;     // (bins)

  bool empty() const { return parent.empty(); }

  // Takes the arrays over, and adds the ends of all ranges to the thresholds of their feature.
  // Throws std::invalid_argument when a code, an index or a length is wrong.
  void read(const ForestArrays& arrays, int n_features,
            std::vector<std::vector<double>>& thresholds);
  // Finds the hulls of nodes: the ranks of the ends among the thresholds of the features in use.
  void place(std::vector<ForestNode>& nodes,
             const std::vector<std::vector<double>>& thresholds);

  double low_of(int32_t node, uint8_t code) const { return low[at(node, code)]; }
  double high_of(int32_t node, uint8_t code) const { return high[at(node, code)]; }

 private:
  size_t at(int32_t node, uint8_t code) const {
    return static_cast<size_t>(bins[static_cast<size_t>(node)]) + code;
  }
};

}  // namespace wgb
