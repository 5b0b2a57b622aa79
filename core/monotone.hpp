// Monotone constraints: one coordinate of every particle rises, or falls, along some features.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "histogram.hpp"
#include "lanes.hpp"

namespace wgb {

struct Monotone {
  std::vector<int8_t> sign;  // of every column in use: 1 rises, -1 falls, 0 is free
  int parameter = 0;         // the coordinate that is held to it
  bool any() const {
    return std::any_of(sign.begin(), sign.end(), [](int8_t s) { return s != 0; });
  }
};

// Where the held coordinate of each particle may lie at a node.
struct Bounds {
  std::vector<float> low, high;
  explicit Bounds(size_t particles = 0)
      : low(particles, -std::numeric_limits<float>::infinity()),
        high(particles, std::numeric_limits<float>::infinity()) {}
  double within(double value, size_t particle) const {
    return std::min(std::max(value, static_cast<double>(low[particle])),
                    static_cast<double>(high[particle]));
  }
};

// What one tree is grown on, as far as constraints have to know it.
struct HeldTree {
  const Columns& columns;
  const Targets& targets;
  const Block& block;
  const Layout& layout;
  Projection projection;
  const float* matrix;  // of a random projection, rows padded to whole vectors
  const Monotone& monotone;
  float l2;
};

// The held outputs of one tree: their sums, and the bounds that follow from a split.
//
// Every split on a constrained feature parts the values that are possible on its two sides at a
// number between them, for every particle, and leaf values are held to these bounds: that alone makes
// the tree monotone. A particle whose sides come out in the wrong order has the value of both
// together as this number, so that the split leaves it as it is; and the search counts no gain for it.
class HeldOutputs {
 public:
  HeldOutputs(const HeldTree& tree, const uint32_t* rows, size_t n_rows, Workspace& workspace,
              Team& team);

  size_t particles() const { return particles_; }
  int sign(int column) const { return tree_.monotone.sign[static_cast<size_t>(column)]; }

  // Sums of the held outputs over rows order[begin, end), of the constrained features alone.
  Lease histogram(const uint32_t* order, size_t begin, size_t end, Team& team) const;

  // The search's histogram of a constrained feature as it looks when particles in the wrong order do
  // not move apart, and others no further than their bounds: in `out`, or as it is if that changes
  // nothing. `total` are the sums of the node, `held` its histogram as above.
  const float* allowed(int column, const float* histogram, const float* total, const float* held,
                       const Bounds& bounds, bool missing_left, float* out) const;

  // Bounds of the two sides, order[begin, middle) and [middle, end), of a split; of a free feature
  // they are the node's.
  void part(int column, const uint32_t* order, size_t begin, size_t middle, size_t end,
            const Bounds& node, Bounds& left, Bounds& right) const;

 private:
  struct Sums {
    std::vector<double> direction, mass;  // (particles)
    explicit Sums(size_t particles) : direction(particles, 0.0), mass(particles, 0.0) {}
  };
  void add(const float* lanes, Sums& sums) const;
  double share(const Sums& left, const Sums& all, size_t particle, int sign,
               const Bounds& bounds) const;
  size_t output(size_t particle) const;
  double weight(size_t particle, size_t projected) const;

  const HeldTree tree_;
  const size_t particles_;
  const size_t width_;  // lanes of a row: directions, then masses, or the weight
  const bool one_each_; // a mass for each particle
  Columns columns_;     // the constrained ones
  std::vector<int> position_;  // of each column among them
  Workspace& workspace_;
  Lease lanes_;  // (n, width)
};

// Holds leaf values (leaves, outputs) of a tree to the bounds of each leaf.
void hold(const Block& block, int parameter, const std::vector<Bounds>& bounds,
          std::vector<float>& values);

}  // namespace wgb
