// Categorical features: sets of codes, and the order in which their categories are scanned.
#pragma once

#include <cstdint>
#include <vector>

#include "lanes.hpp"

namespace wgb {

// A set of codes. A feature has at most 255 categories, so that 255 is never one of them.
struct CategorySet {
  static constexpr int kWords = 8;
  uint32_t bits[kWords] = {};
  bool has(int code) const { return bits[code >> 5] >> (code & 31) & 1u; }
  void add(int code) { bits[code >> 5] |= 1u << (code & 31); }
};

// The categories of a node: those that go left, and all that have rows in it.
struct CategorySplit {
  CategorySet left, seen;
  // The codes that go left, all others being where missing values go.
  CategorySet with_others(bool others_left) const {
    CategorySet set = left;
    for (int w = 0; others_left && w < CategorySet::kWords; ++w) set.bits[w] |= ~seen.bits[w];
    return set;
  }
};

// Doubles that order_categories needs to work in.
size_t category_memory(const Layout& layout);

// Lists the codes that have rows in a node's histogram of one feature (bins + 1, width), in the
// order of their movements along the leading axis, and returns their number. `total` (width) sums
// the node. A category's movement is its mean minus the node's, as if more mass, `smooth` (width),
// had moved like the node.
int order_categories(const float* histogram, int bins, const Layout& layout, const float* total,
                     const float* smooth, double* memory, uint8_t* order);

// How much the movements of a node's rows differ: the sum over rows of weight (g - r c)^2 / c for
// each projected output with direction g and curvature c, and the sum of the weights. `r` is a
// common movement that keeps the squares small; it has to be the same wherever sums are compared.
struct Scatter {
  std::vector<double> squares;  // (k)
  double weight = 0;
  void add(const Scatter& other, double sign);
};

// The scatter of rows[0, n) with the given lanes. `weights` is null when every weight is 1.
Scatter scatter_of(const float* lanes, const Layout& layout, const uint32_t* rows, size_t n,
                   const float* weights, const double* reference, Team& team);

// Reduces what the split search sees of the categories of one feature (bins + 1, width) to what
// chance does not explain, in place, and returns whether anything is left.
//
// Of each output the sum of squares between the K levels is S. If they mean nothing, its expected
// value is v (K - 1), where v is the variance of the node's n rows. `chance` is `penalty` times v
// (K - 1 + margin - 8): the margin sqrt(2 (K - 1) (1 + (K - 1) / (n - 1))) is a standard deviation of
// S / v, larger where levels have few rows, and 8 is what the best edge of a numeric feature gains by
// chance. Levels that are known to matter may be fitted until less is left than chance explains: with
// `signal`, the variance of the levels' effects in units of a row's before any boosting, chance is
// divided by 1 + 0.3 signal n / K. Deviations of the levels from the node's mean are multiplied by
// sqrt(max(0, 1 - chance / S)), so that every gain is multiplied by 1 - chance / S.
bool shrink_categories(float* histogram, int bins, const Layout& layout, const float* total,
                       const Scatter& scatter, const double* reference, double penalty,
                       double signal);

}  // namespace wgb
