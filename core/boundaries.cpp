#include "boundaries.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "forest.hpp"

namespace wgb {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The largest number below an end, so that "at least the end" is "above this".
double below(double end) { return std::nextafter(end, -kInfinity); }

void check_tables(const ForestArrays& a, const RangeArrays& r, int n_features) {
  const size_t segments = r.n_tables * static_cast<size_t>(n_features);
  if (r.first_bin[0] != 0 || r.first_bin[segments] != static_cast<int64_t>(r.n_bins) ||
      r.n_bins > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
    refuse("the tables of bins do not cover the ends of bins");
  for (size_t i = 0; i < segments; ++i) {
    const int64_t size = r.first_bin[i + 1] - r.first_bin[i];
    if (r.first_bin[i] < 0 || size < 0 || size > kMaxBins)
      refuse("the bins of feature " + std::to_string(i % static_cast<size_t>(n_features)) +
             " are out of order");
  }
  for (size_t t = 0; t < r.n_tables; ++t)
    if (r.rows[t] < 1) refuse("a table of bins has no rows");
  for (size_t tree = 0; tree < a.n_trees; ++tree)
    if (r.table[tree] < 0 || r.table[tree] >= static_cast<int64_t>(r.n_tables))
      refuse("tree " + std::to_string(tree) + " has no table of bins");
}

bool in_order(const CodeRange& range) {
  if (range.empty())
    return range.second_low == kNoCode && range.second_high == kNoCode && range.high == kNoCode;
  if (range.second_low == kNoCode || range.second_high == kNoCode)  // of one row
    return range.second_low == range.second_high && range.low == range.high;
  return range.low <= range.second_low && range.second_low <= range.high &&
         range.low <= range.second_high && range.second_high <= range.high;
}

}  // namespace

void Boundaries::read(const ForestArrays& a, int n_features,
                      std::vector<std::vector<double>>& thresholds) {
  const RangeArrays& r = *a.ranges;
  check_tables(a, r, n_features);
  codes.resize(a.n_nodes);
  missing.assign(r.missing, r.missing + a.n_nodes);
  ends.resize(a.n_nodes);
  parent.resize(a.n_nodes, -1);
  bins.resize(a.n_nodes, 0);
  node_of.resize(a.n_leaves, 0);
  seen.resize(a.n_sets);
  low.assign(r.low, r.low + r.n_bins);
  high.assign(r.high, r.high + r.n_bins);
  for (size_t set = 0; set < a.n_sets; ++set) {
    const uint32_t* bits = r.seen + set * 2 * CategorySet::kWords;
    std::copy_n(bits, CategorySet::kWords, seen[set].once.bits);
    std::copy_n(bits + CategorySet::kWords, CategorySet::kWords, seen[set].twice.bits);
    for (int w = 0; w < CategorySet::kWords; ++w)
      if (seen[set].twice.bits[w] & ~seen[set].once.bits[w])
        refuse("category set " + std::to_string(set) + " has rows of a category it did not see");
  }
  for (size_t i = 0; i < a.n_nodes; ++i) {
    const uint8_t* from = r.codes + 4 * i;
    codes[i] = {from[0], from[1], from[2], from[3]};
    if (!in_order(codes[i])) refuse("node " + std::to_string(i) + " has a range out of order");
    if (missing[i] > 2) refuse("node " + std::to_string(i) + " has no number of missing values");
  }
  for (size_t tree = 0; tree < a.n_trees; ++tree) {
    const int64_t begin = a.first_node[tree], end = a.first_node[tree + 1];
    const auto first_feature = static_cast<size_t>(r.table[tree]) * static_cast<size_t>(n_features);
    const double of_root = static_cast<double>(std::max<int64_t>(1, r.cover[begin]));
    const double share = static_cast<double>(r.rows[r.table[tree]]) / of_root;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t f = a.feature[i];
      if (f < 0) {
        node_of[static_cast<size_t>(a.first_leaf[tree] + a.leaf[i])] = static_cast<int32_t>(i);
        continue;
      }
      const int64_t left = begin + a.left[i];
      parent[left] = parent[left + 1] = static_cast<int32_t>(i);
      if (a.category_set[i] >= 0) continue;
      const size_t segment = first_feature + static_cast<size_t>(f);
      bins[i] = static_cast<int32_t>(r.first_bin[segment]);
      const int64_t n_bins = r.first_bin[segment + 1] - r.first_bin[segment];
      double lowest = kInfinity, highest = -kInfinity;
      for (int64_t child = left; child <= left + 1; ++child) {
        const CodeRange& range = codes[child];
        if (range.empty()) continue;
        if (range.high >= n_bins)
          refuse("node " + std::to_string(child) + " has a range beyond the bins of feature " +
                 std::to_string(f));
        const auto at = static_cast<int32_t>(i);
        for (const uint8_t code : {range.low, range.second_low, range.second_high, range.high})
          if (code != kNoCode && !(low_of(at, code) <= high_of(at, code)))
            refuse("bin " + std::to_string(code) + " of feature " + std::to_string(f) +
                   " has its ends out of order");
        const double from = low_of(at, range.low), to = high_of(at, range.high);
        ends[child].low = from;
        ends[child].high = to;
        lowest = std::min(lowest, from);
        highest = std::max(highest, to);
        thresholds[static_cast<size_t>(f)].push_back(below(from));
        thresholds[static_cast<size_t>(f)].push_back(to);
      }
      const double others = std::max(1.0, static_cast<double>(r.cover[i]) * share - 1);
      const double mean = (highest - lowest) / others;
      const double spacing = mean > 0 && mean < kInfinity ? mean : 0;
      ends[left].spacing = ends[left + 1].spacing = spacing;
    }
  }
}

void Boundaries::place(std::vector<ForestNode>& nodes,
                       const std::vector<std::vector<double>>& thresholds) {
  for (size_t i = 0; i < nodes.size(); ++i) {
    ForestNode& node = nodes[i];
    if (node.leaf >= 0 || node.asks == kSet) continue;
    const std::vector<double>& sorted = thresholds[node.feature];
    const auto rank = [&](double end) {
      return static_cast<uint16_t>(std::lower_bound(sorted.begin(), sorted.end(), end) -
                                   sorted.begin());
    };
    const auto place_child = [&](int32_t child, uint16_t& first, uint16_t& width) {
      const CodeRange& range = codes[static_cast<size_t>(child)];
      if (range.empty()) return;
      const auto at = static_cast<int32_t>(i);
      // Values of a rank beyond that of the number below the end.
      first = static_cast<uint16_t>(rank(below(low_of(at, range.low))) + 1);
      width = static_cast<uint16_t>(rank(high_of(at, range.high)) - first);
      // An infinite end has no number below it: its rank is found row by row.
      if (width > 0xFFFD) first = 0xFFFE, width = 0;
    };
    place_child(node.next, node.hull.left, node.hull.left_width);
    place_child(node.next + 1, node.hull.right, node.hull.right_width);
  }
}

}  // namespace wgb
