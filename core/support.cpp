#include "support.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace wgb {
namespace {

constexpr double kNothing = 1e3;  // minus the logarithm of no support

// Minus the logarithm of the support of a value that is outside [low, high], or inside.
WGB_INLINE double fading(double value, double low, double high, double scale) {
  const double distance = value < low ? low - value : value > high ? value - high : 0;
  if (!(distance > 0)) return 0;
  const double ratio = distance / scale;
  return std::min(kNothing, ratio * ratio / 2);
}

// The code that a value stands for: the number of thresholds 0.5, 1.5, ... below it.
int category_of(double value) {
  if (!(value <= kNoCategory - 0.5)) return kNoCategory;
  return value <= 0.5 ? 0 : static_cast<int>(std::ceil(value - 0.5));
}

}  // namespace

double exp_minus(double x) {
  if (!(x < 700)) return 0;
  const int halvings = static_cast<int>(x * 1.4426950408889634 + 0.5);
  // log(2) in two parts, the first of which has few digits.
  const double r = (halvings * 0.693145751953125 - x) + halvings * 1.4286068203094172e-6;
  const double r2 = r * r, r4 = r2 * r2;  // the series of exp(r), |r| <= log(2) / 2
  const double sum = ((1 + r) + r2 * (1 / 2.0 + r * (1 / 6.0))) +
                     r4 * ((1 / 24.0 + r * (1 / 120.0)) +
                           r2 * ((1 / 720.0 + r * (1 / 5040.0)) +
                                 r2 * (1 / 40320.0 + r * (1 / 362880.0))));
  const uint64_t bits = static_cast<uint64_t>(1023 - halvings) << 52;
  double power;
  std::memcpy(&power, &bits, sizeof power);
  return sum * power;
}

// Minus the logarithm of the factor of the step from the parent of a node to the node.
double SupportPass::penalty(size_t row, int32_t node, const Sets& sets) const {
  const Boundaries& b = boundaries_;
  const int32_t parent = b.parent[static_cast<size_t>(node)];
  const ForestNode& asks = nodes_[static_cast<size_t>(parent)];
  const int feature = used_[asks.feature];
  const double value = rows_.at(row, feature);
  const bool few = task_.left_out;
  const int category = asks.asks == kSet ? category_of(value) : 0;
  if (category == kNoCategory || value != value)
    return b.missing[static_cast<size_t>(parent)] > (few ? 1 : 0) ? 0 : kNothing;
  if (asks.asks == kSet) {
    const SeenCategories& seen = sets.seen_at(b, parent);
    return (few ? seen.twice : seen.once).has(category) ? 0 : kNothing;
  }
  const CodeRange& range = b.codes[static_cast<size_t>(node)];
  if (range.empty()) return kNothing;
  uint8_t first = range.low, last = range.high;
  if (few) {
    if (range.second_low == kNoCode) return kNothing;
    if (value <= b.high_of(parent, first)) first = range.second_low;
    if (value >= b.low_of(parent, last)) last = range.second_high;
  }
  const double low = b.low_of(parent, first), high = b.high_of(parent, last);
  return fading(value, low, high,
                task_.reach[feature] + b.ends[static_cast<size_t>(node)].spacing);
}

// The factor for a value beyond all training rows.
double SupportPass::inside(size_t row, int feature) const {
  const double value = rows_.at(row, feature);
  const double low = task_.low[feature], high = task_.high[feature];
  if (!(value < low || value > high) || task_.left_out) return 1;
  const double ratio = (value < low ? low - value : value - high) / task_.reach[feature];
  return 1 - task_.asked[feature] * (1 - exp_minus(ratio * ratio / 2));
}

void SupportPass::find_common(size_t begin, size_t n, Common& common) const {
  common.n = 0;
  for (size_t r = 0; r < n; ++r) {
    common.factor[r] = 1;
    for (const int feature : used_) common.factor[r] *= inside(begin + r, feature);
    if (common.factor[r] < 1) common.rows[common.n++] = static_cast<uint8_t>(r);
  }
}

// The sum of penalties on the way from a node down, and the leaf at its end.
double SupportPass::follow(const Asking& asking, size_t r, size_t row, int32_t node,
                           int32_t* leaf) const {
  double sum = 0;
  while (nodes_[static_cast<size_t>(node)].leaf < 0) {
    const ForestNode& asks = nodes_[static_cast<size_t>(node)];
    const int32_t child = next_node(asking, node, r);
    const uint16_t rank = asking.block.high[asks.feature * kRowsPerBlock + r];
    if (asks.asks == kSet || rank == kMissingRank) {
      sum += penalty(row, child, asking.sets);
    } else if (!asks.hull.has(rank)) {
      const int feature = used_[asks.feature];
      const NodeEnds& ends = boundaries_.ends[static_cast<size_t>(child)];
      sum += fading(rows_.at(row, feature), ends.low, ends.high,
                    task_.reach[feature] + ends.spacing);
    }
    node = child;
  }
  *leaf = nodes_[static_cast<size_t>(node)].leaf;
  return sum;
}

double SupportPass::climb(size_t row, int32_t node, const Sets& sets) const {
  double sum = 0;
  for (; boundaries_.parent[static_cast<size_t>(node)] >= 0;
       node = boundaries_.parent[static_cast<size_t>(node)])
    sum += penalty(row, node, sets);
  return sum;
}

void SupportPass::add(const Asking& asking, const Place& place, const Common& common,
                      const uint8_t* lost, size_t n_lost, int32_t* leaf) const {
  if (looks_at_all()) {
    for (size_t r = 0; r < place.rows; ++r) {
      const int32_t node = boundaries_.node_of[static_cast<size_t>(leaf[r])];
      const double sum = climb(place.begin + r, node, asking.sets);
      const double support = sum > 0 ? exp_minus(sum) * common.factor[r] : common.factor[r];
      if (!(support < 1)) continue;
      count(place.tree, place.begin + r, support);
      if (task_.by_feature) divide(place.begin + r, node, sum, support, asking.sets);
    }
    return;
  }
  for (size_t i = 0; i < common.n; ++i) {
    const size_t r = common.rows[i];
    if (leaf[r] >= 0) count(place.tree, place.begin + r, common.factor[r]);
  }
  for (size_t i = 0; i < n_lost; ++i) {
    const size_t r = lost[i];
    const double sum = follow(asking, r, place.begin + r, ~leaf[r], &leaf[r]);
    const double support = sum > 0 ? exp_minus(sum) * common.factor[r] : common.factor[r];
    if (support < 1) count(place.tree, place.begin + r, support);
  }
}

void SupportPass::count(size_t tree, size_t row, double support) const {
  task_.lack[row] += 1 - support;
  if (!task_.lost) return;
  const auto lack = static_cast<float>(1 - support);
  const float* from = task_.contrast + tree * leaf_outputs_;
  float* to = task_.lost + row * outputs_ + trees_[tree].output;
  for (size_t j = 0; j < leaf_outputs_; ++j) to[j] += lack * from[j];
}

// Adds the lack of support to the features that took it away, by their share of its logarithm.
void SupportPass::divide(size_t row, int32_t node, double penalties, double support,
                         const Sets& sets) const {
  double* to = task_.by_feature + row * n_features_;
  const auto beyond = [&](int feature) {
    const double factor = inside(row, feature);
    return factor > 0 ? std::min(kNothing, -std::log(factor)) : kNothing;
  };
  double sum = penalties;
  for (const int feature : used_) sum += beyond(feature);
  if (!(sum > 0)) return;
  const double unit = (1 - support) / sum;
  for (const int feature : used_) to[feature] += unit * beyond(feature);
  for (; boundaries_.parent[static_cast<size_t>(node)] >= 0;
       node = boundaries_.parent[static_cast<size_t>(node)]) {
    const int32_t parent = boundaries_.parent[static_cast<size_t>(node)];
    to[used_[nodes_[static_cast<size_t>(parent)].feature]] += unit * penalty(row, node, sets);
  }
}

}  // namespace wgb
