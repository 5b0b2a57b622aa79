// One tree as a node table.
#pragma once

#include <cstdint>
#include <vector>

#include "categories.hpp"
#include "histogram.hpp"
#include "monotone.hpp"
#include "ranges.hpp"

namespace wgb {

// Children stand side by side behind their parent; a leaf has feature -1 and a row of `values`.
struct TreeTable {
  std::vector<int32_t> feature, left, leaf;
  std::vector<int32_t> category_set;  // which of `sets` goes left, -1: codes up to `bin` do
  std::vector<uint8_t> bin, missing_left;
  std::vector<float> gain;
  std::vector<int64_t> cover;  // training rows
  std::vector<float> values;   // (leaves, outputs)
  std::vector<CategorySet> sets;
  std::vector<Bounds> bounds;  // of the leaves, with constraints
  NodeRanges ranges;           // of all training rows that count, drawn or not
  size_t n_leaves = 0;

  // A further node, a leaf for now.
  int add(size_t rows) {
    feature.push_back(-1);
    left.push_back(-1);
    leaf.push_back(-1);
    category_set.push_back(-1);
    bin.push_back(0);
    missing_left.push_back(0);
    gain.push_back(0);
    cover.push_back(static_cast<int64_t>(rows));
    return static_cast<int>(feature.size()) - 1;
  }

  // The leaf of a data row; `bins` are those of every feature that the tree asks for.
  int32_t leaf_of(const Columns& columns, const std::vector<int32_t>& bins, size_t row) const {
    return walk(columns, bins, row, [](size_t, size_t, int, bool) {});
  }

  // The same, and the row counts in `to`, the ranges of the nodes that it comes by.
  int32_t leaf_of(const Columns& columns, const std::vector<int32_t>& bins, size_t row,
                  NodeRanges& to) const {
    return walk(columns, bins, row, [&](size_t node, size_t child, int value, bool is_missing) {
      if (is_missing) to.add_missing(node, 1);
      else if (category_set[node] < 0) to.codes[child].add(static_cast<uint8_t>(value));
      else to.seen[static_cast<size_t>(category_set[node])].add(value);
    });
  }

 private:
  template <class Visit>
  int32_t walk(const Columns& columns, const std::vector<int32_t>& bins, size_t row,
               const Visit& visit) const {
    size_t node = 0;
    while (feature[node] >= 0) {
      const int f = feature[node], set = category_set[node];
      const int value = columns.codes[static_cast<size_t>(f) * columns.n + row];
      const bool is_missing = value == bins[f];
      const bool go_left = set >= 0     ? sets[static_cast<size_t>(set)].has(value)
                           : is_missing ? missing_left[node] != 0
                                        : value <= bin[node];
      const size_t child = static_cast<size_t>(left[node]) + !go_left;
      visit(node, child, value, is_missing);
      node = child;
    }
    return leaf[node];
  }
};

}  // namespace wgb
