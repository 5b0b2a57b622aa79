#include "ranges.hpp"

namespace wgb {

CodeCounts::CodeCounts(const float* counts, size_t width, int n_bins) : bins(n_bins) {
  for (int b = 0; b <= bins; ++b, counts += width)
    rows[b] = static_cast<uint8_t>((*counts >= 0.5f) + (*counts >= 1.5f));
}

CodeCounts::CodeCounts(const uint8_t* codes, const uint32_t* of, size_t n, int n_bins)
    : bins(n_bins) {
  std::fill_n(rows, bins + 1, uint8_t(0));
  for (size_t i = 0; i < n; ++i) {
    uint8_t& found = rows[codes[of[i]]];
    found = static_cast<uint8_t>(std::min(2, found + 1));
  }
}

void NodeRanges::add_split(const CodeCounts& counts, int node, int left, int bin, int set) {
  missing[static_cast<size_t>(node)] = counts.rows[counts.bins];
  for (int code = 0; code < counts.bins; ++code)
    for (int row = 0; row < counts.rows[code]; ++row) {
      if (set >= 0)
        seen[static_cast<size_t>(set)].add(code);
      else
        codes[static_cast<size_t>(left + (code > bin))].add(static_cast<uint8_t>(code));
    }
}

void NodeRanges::merge(const NodeRanges& other) {
  for (size_t i = 0; i < codes.size(); ++i) {
    codes[i].merge(other.codes[i]);
    add_missing(i, other.missing[i]);
  }
  for (size_t i = 0; i < seen.size(); ++i) seen[i].merge(other.seen[i]);
}

}  // namespace wgb
