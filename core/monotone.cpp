#include "monotone.hpp"

#include <algorithm>

namespace wgb {
namespace {

constexpr size_t kRowsPerTask = 4096;

double ratio(double direction, double mass) { return mass > 0 ? direction / mass : 0.0; }

}  // namespace

HeldOutputs::HeldOutputs(const HeldTree& tree, const uint32_t* rows, size_t n_rows,
                         Workspace& workspace, Team& team)
    : tree_(tree), particles_(static_cast<size_t>(tree.block.particles)),
      width_((particles_ + (tree.targets.curvature ? particles_ : 1) + 7) / 8 * 8),
      one_each_(tree.targets.curvature != nullptr), workspace_(workspace),
      lanes_(workspace.floats(tree.targets.n * width_)) {
  const Columns& all = tree.columns;
  columns_.codes = all.codes;
  columns_.n = all.n;
  columns_.offset.push_back(0);
  for (int f = 0; f < all.size(); ++f) {
    position_.push_back(columns_.size());
    if (sign(f) == 0) continue;
    columns_.feature.push_back(all.feature[f]);
    columns_.bins.push_back(all.bins[f]);
    columns_.categorical.push_back(0);
    columns_.offset.push_back(columns_.rows() + static_cast<size_t>(all.bins[f]) + 1);
  }
  const Targets& t = tree.targets;
  const size_t outputs = static_cast<size_t>(t.outputs), d = static_cast<size_t>(tree.block.params);
  const size_t first = static_cast<size_t>(tree.block.first + tree.monotone.parameter);
  team.run_ranges(n_rows, kRowsPerTask, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const size_t row = rows ? rows[i] : i;
      const float weight = t.weight ? t.weight[row] : 1.0f;
      const size_t at = row * outputs + first;
      float* out = lanes_.floats() + row * width_;
      std::fill_n(out, width_, 0.0f);
      for (size_t j = 0; j < particles_; ++j) out[j] = weight * t.direction[at + j * d];
      if (!one_each_) out[particles_] = weight;
      for (size_t j = 0; one_each_ && j < particles_; ++j)
        out[particles_ + j] = weight * t.curvature[at + j * d];
    }
  });
}

Lease HeldOutputs::histogram(const uint32_t* order, size_t begin, size_t end, Team& team) const {
  Lease histogram = workspace_.floats(columns_.rows() * width_);
  build_histogram(columns_, BinLists::all(columns_), lanes_.floats(), static_cast<int>(width_),
                  order, begin, end, histogram.floats(), team, workspace_);
  return histogram;
}

void HeldOutputs::add(const float* lanes, Sums& sums) const {
  for (size_t j = 0; j < particles_; ++j) sums.direction[j] += static_cast<double>(lanes[j]);
  for (size_t j = 0; j < particles_; ++j)
    sums.mass[j] += static_cast<double>(lanes[particles_ + (one_each_ ? j : 0)]);
}

// How much of the distance between a particle's two sides a split may make of it, 0 to 1.
double HeldOutputs::share(const Sums& left, const Sums& all, size_t j, int sign,
                          const Bounds& bounds) const {
  const double l2 = static_cast<double>(tree_.l2);
  const double a = left.mass[j] + l2, b = all.mass[j] - left.mass[j] + l2;
  if (!(a > 0 && b > 0)) return 1;
  const double low = left.direction[j] / a, high = (all.direction[j] - left.direction[j]) / b;
  const double apart = high - low, held = bounds.within(high, j) - bounds.within(low, j);
  if (apart == 0) return 1;
  return held * sign > 0 ? held / apart : 0.0;
}

// A particle's held coordinate among the outputs of the tree.
size_t HeldOutputs::output(size_t particle) const {
  return particle * static_cast<size_t>(tree_.block.params) +
         static_cast<size_t>(tree_.monotone.parameter);
}

// What a projected output of the search has of it.
double HeldOutputs::weight(size_t particle, size_t projected) const {
  switch (tree_.projection) {
    case Projection::kAll: return projected == output(particle) ? 1.0 : 0.0;
    case Projection::kSum: return 1.0;
    case Projection::kParticleMean:
      return projected == output(0) ? 1.0 / static_cast<double>(particles_) : 0.0;
    case Projection::kRandom: break;
  }
  const size_t width = static_cast<size_t>(tree_.layout.k + 7) / 8 * 8;
  return static_cast<double>(tree_.matrix[output(particle) * width + projected]);
}

const float* HeldOutputs::allowed(int column, const float* histogram, const float* total,
                                  const float* held, const Bounds& bounds, bool missing_left,
                                  float* out) const {
  const Layout& layout = tree_.layout;
  const size_t width = static_cast<size_t>(layout.width);
  const size_t k = static_cast<size_t>(layout.k);
  const size_t bins = static_cast<size_t>(tree_.columns.bins[column]);
  const float* own = held + columns_.offset[static_cast<size_t>(position_[column])] * width_;
  Sums all(particles_), left(particles_);
  for (size_t b = 0; b <= bins; ++b) add(own + b * width_, all);
  // The mass of each projected output, as the search has it.
  const size_t first_mass = static_cast<size_t>(layout.shared < 0 ? layout.block : layout.shared);
  const size_t masses = layout.shared < 0 ? k : 1;
  std::vector<double> left_mass(masses, 0.0), moved(k, 0.0), before(k, 0.0);
  const auto step = [&](size_t b) {
    add(own + b * width_, left);
    for (size_t q = 0; q < masses; ++q)
      left_mass[q] += static_cast<double>(histogram[b * width + first_mass + q]);
  };
  if (missing_left) step(bins);
  bool changed = false;
  const double l2 = static_cast<double>(tree_.l2);
  // The search sees of an edge the left sums' distance from their part in the node's. A particle
  // that keeps a share of its own distance takes the rest off; what edge after edge is to be taken
  // off goes into the bins between them.
  for (size_t b = 0; b < bins; ++b) {
    if (!(histogram[b * width + static_cast<size_t>(layout.count)] > 0)) continue;
    step(b);
    std::fill(moved.begin(), moved.end(), 0.0);
    for (size_t j = 0; j < particles_; ++j) {
      const double lost = 1 - share(left, all, j, sign(column), bounds);
      if (lost == 0) continue;
      const bool alone = tree_.projection == Projection::kAll;
      for (size_t q = alone ? output(j) : 0; q < (alone ? output(j) + 1 : k); ++q) {
        const size_t mass = masses == 1 ? 0 : q;
        const double whole = static_cast<double>(total[first_mass + mass]);
        const double part = ratio(left_mass[mass] + l2, whole + 2 * l2);
        moved[q] -= lost * weight(j, q) * (left.direction[j] - part * all.direction[j]);
      }
    }
    const bool moves = std::any_of(moved.begin(), moved.end(), [](double x) { return x != 0; });
    if (moves && !changed) std::copy(histogram, histogram + (bins + 1) * width, out);
    changed = changed || moves;
    for (size_t q = 0; changed && q < k; ++q)
      out[b * width + q] += static_cast<float>(moved[q] - before[q]);
    std::swap(moved, before);
  }
  return changed ? out : histogram;
}

void HeldOutputs::part(int column, const uint32_t* order, size_t begin, size_t middle, size_t end,
                       const Bounds& node, Bounds& left, Bounds& right) const {
  left = right = node;
  if (sign(column) == 0) return;
  Sums first(particles_), second(particles_);
  for (size_t i = begin; i < end; ++i)
    add(lanes_.floats() + order[i] * width_, i < middle ? first : second);
  const double l2 = static_cast<double>(tree_.l2);
  for (size_t j = 0; j < particles_; ++j) {
    const double a = first.mass[j] + l2, b = second.mass[j] + l2;
    const double low = node.within(ratio(first.direction[j], a), j);
    const double high = node.within(ratio(second.direction[j], b), j);
    const bool in_order = (high - low) * sign(column) >= 0;
    const double both = ratio(first.direction[j] + second.direction[j], a + b);
    const float between = static_cast<float>(node.within(in_order ? (low + high) / 2 : both, j));
    (sign(column) > 0 ? left.high : left.low)[j] = between;
    (sign(column) > 0 ? right.low : right.high)[j] = between;
  }
}

void hold(const Block& block, int parameter, const std::vector<Bounds>& bounds,
          std::vector<float>& values) {
  const size_t outputs = static_cast<size_t>(block.outputs());
  const size_t d = static_cast<size_t>(block.params);
  for (size_t leaf = 0; leaf < bounds.size(); ++leaf)
    for (size_t j = 0; j < static_cast<size_t>(block.particles); ++j) {
      float& value = values[leaf * outputs + j * d + static_cast<size_t>(parameter)];
      value = std::min(std::max(value, bounds[leaf].low[j]), bounds[leaf].high[j]);
    }
}

}  // namespace wgb
