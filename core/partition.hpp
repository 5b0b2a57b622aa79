// Parting the rows of a node by what a split asks of their codes.
#pragma once

#include <algorithm>
#include <vector>

#include "parallel.hpp"

namespace wgb {

// Moves the rows that go left to the front and returns their number. Stable: rows stay ascending,
// whatever the number of threads. `spare` has room for n rows.
template <class GoesLeft>
size_t part_rows(uint32_t* order, size_t n, uint32_t* spare, Team& team, const GoesLeft& goes_left) {
  constexpr size_t kRowsPerTask = 16384;
  const size_t pieces = (n + kRowsPerTask - 1) / kRowsPerTask;
  std::vector<size_t> n_left(pieces, 0);
  // Each piece packs its left rows to its front; its right rows wait in the spare room.
  team.run_ranges(n, kRowsPerTask, [&](size_t from, size_t to) {
    uint32_t* rows = order;
    size_t left = from, right = from;
    for (size_t i = from; i < to; ++i) {
      const uint32_t row = rows[i];
      const bool go_left = goes_left(row);
      rows[left] = row;
      spare[right] = row;
      left += go_left;
      right += !go_left;
    }
    n_left[from / kRowsPerTask] = left - from;
  });
  size_t middle = 0;
  for (size_t i = 0; i < pieces; ++i) {
    const uint32_t* from = order + i * kRowsPerTask;
    std::copy(from, from + n_left[i], order + middle);  // downwards, so it may overlap
    middle += n_left[i];
  }
  size_t at = middle;
  for (size_t i = 0; i < pieces; ++i) {
    const size_t from = i * kRowsPerTask, size = std::min(n - from, kRowsPerTask) - n_left[i];
    std::copy(spare + from, spare + from + size, order + at);
    at += size;
  }
  return middle;
}

}  // namespace wgb
