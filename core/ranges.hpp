// What the training rows of a node have on the feature that its parent splits.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "categories.hpp"

namespace wgb {

constexpr uint8_t kNoCode = 255;

// The lowest and the highest code of some rows, and the second of each, a code of several rows
// being counted for each of them: what is left when one row is taken out. kNoCode: no such row.
struct CodeRange {
  uint8_t low = kNoCode, second_low = kNoCode, second_high = kNoCode, high = kNoCode;

  bool empty() const { return low == kNoCode; }

  void add(uint8_t code) {
    if (empty()) {
      low = high = code;
    } else if (second_low == kNoCode) {
      second_low = std::max(low, code);
      second_high = std::min(high, code);
      low = second_high;
      high = second_low;
    } else {
      if (code < second_low) second_low = std::max(low, code);
      if (code > second_high) second_high = std::min(high, code);
      low = std::min(low, code);
      high = std::max(high, code);
    }
  }

  // As if the rows of both were added one by one, in any order.
  void merge(const CodeRange& other) {
    if (other.empty()) return;
    if (second_low == kNoCode || other.second_low == kNoCode) {
      CodeRange more = second_low == kNoCode ? *this : other;
      if (second_low == kNoCode) *this = other;
      if (!more.empty()) add(more.low);
      return;
    }
    second_low = std::min({second_low, other.second_low, std::max(low, other.low)});
    second_high = std::max({second_high, other.second_high, std::min(high, other.high)});
    low = std::min(low, other.low);
    high = std::max(high, other.high);
  }
};

// The categories that have a row in a node, and those that have several.
struct SeenCategories {
  CategorySet once, twice;

  void add(int code) {
    if (once.has(code)) twice.add(code);
    once.add(code);
  }
  void merge(const SeenCategories& other) {
    for (int w = 0; w < CategorySet::kWords; ++w) {
      twice.bits[w] |= other.twice.bits[w] | (once.bits[w] & other.once.bits[w]);
      once.bits[w] |= other.once.bits[w];
    }
  }
};

constexpr size_t kExactCounts = size_t(1) << 24;  // rows that a float32 lane counts

// The codes of a feature that rows of a node have, in ascending order, and their rows, where 2
// stands for more.
struct CodeCounts {
  int n = 0;
  uint8_t code[kNoCode], rows[kNoCode];
  uint8_t missing = 0;  // rows without a value

  // From the counts of a histogram, `width` floats apart, in the listed bins.
  CodeCounts(const float* counts, size_t width, const uint8_t* listed, int n_listed, int bins);
  // From the codes of rows[0, n).
  CodeCounts(const uint8_t* codes, const uint32_t* of, size_t n, int bins);
};

// The ranges of all nodes of a tree.
struct NodeRanges {
  std::vector<CodeRange> codes;      // (nodes) on the parent's feature; empty below category sets
  std::vector<uint8_t> missing;      // (nodes) rows whose value the node misses: none, 1, or 2 for more
  std::vector<SeenCategories> seen;  // (sets)

  void grow(size_t nodes, size_t sets) {
    codes.resize(nodes);
    missing.resize(nodes, 0);
    seen.resize(sets);
  }
  void add_missing(size_t node, uint8_t rows) {
    missing[node] = static_cast<uint8_t>(std::min(2, missing[node] + rows));
  }
  // The rows of a node that is split after a bin, or by the last of the category sets.
  void add_split(const CodeCounts& counts, int node, int left, int bin, int set);
  void merge(const NodeRanges& other);
};

}  // namespace wgb
