// What the split search sees of a row: a short vector of floats (lanes), added into histogram
// rows of the same layout.
#pragma once

#include <cstdint>
#include <vector>

#include "parallel.hpp"

namespace wgb {

enum class Projection : int { kAll = 0, kSum = 1, kParticleMean = 2, kRandom = 3 };

// Outputs of every row: direction, optional curvature, optional weight.
struct Targets {
  const float* direction;  // (n, outputs)
  const float* curvature;  // (n, outputs), or null: every curvature is 1
  const float* weight;     // (n), or null: every weight is 1
  size_t n;
  int outputs;
};

// The outputs [first, first + particles * params) that one tree is grown on, and how they are
// projected for the split search.
struct Block {
  int first;
  int particles;
  int params;
  int outputs() const { return particles * params; }
};

struct Layout {
  int k;      // projected directions, lanes [0, k)
  int block;  // lanes that hold directions and the count; equals width with a shared denominator
  int width;  // lanes in all, padded for whole vectors
  int shared; // lane of a denominator shared by all k, or -1: one each, lanes [block, block + k)
  int count;  // lane of the number of rows
  bool mass_everywhere;  // no output of any row lacks mass
  bool averages;  // no curvature: the shared denominator is the weight of the rows

  static Layout make(int outputs, int params, Projection projection, int random_k,
                     bool has_curvature, bool has_weight);
};

// Whether every output of the given rows has a positive curvature (without curvature: yes).
bool has_mass_everywhere(const Targets& targets, const uint32_t* rows, size_t n_rows, Team& team);

// Fills lanes[tree] (n, width) of every block for the given rows (all when `rows` is null).
// `matrix` is the random projection (outputs, k padded to whole vectors of 8 and aligned). With
// `centre` a constant movement is taken off every direction: float32 sums stay small when the
// directions have a common offset. It changes no gain when l2 = 0 and there is mass everywhere.
void fill_lanes(const Targets& targets, const std::vector<Block>& blocks, const Layout& layout,
                Projection projection, const float* matrix, bool centre, const uint32_t* rows,
                size_t n_rows, const std::vector<float*>& lanes, Team& team);

}  // namespace wgb
