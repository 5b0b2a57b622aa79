#include "ranges.hpp"

namespace wgb {

namespace {

uint8_t none_one_or_more(float count) {
  return static_cast<uint8_t>((count >= 0.5f) + (count >= 1.5f));
}

}  // namespace

CodeCounts::CodeCounts(const float* counts, size_t width, const uint8_t* listed, int n_listed,
                       int bins) {
  for (int i = 0; i < n_listed; ++i) {
    code[n] = listed[i];
    rows[n] = none_one_or_more(counts[listed[i] * width]);
    n += rows[n] > 0;
  }
  missing = none_one_or_more(counts[static_cast<size_t>(bins) * width]);
}

CodeCounts::CodeCounts(const uint8_t* codes, const uint32_t* of, size_t n_rows, int bins) {
  uint8_t found[kNoCode + 1] = {};
  for (size_t i = 0; i < n_rows; ++i) {
    uint8_t& here = found[codes[of[i]]];
    here = static_cast<uint8_t>(std::min(2, here + 1));
  }
  for (int b = 0; b < bins; ++b) {
    code[n] = static_cast<uint8_t>(b);
    rows[n] = found[b];
    n += rows[n] > 0;
  }
  missing = found[bins];
}

void NodeRanges::add_split(const CodeCounts& counts, int node, int left, int bin, int set) {
  missing[static_cast<size_t>(node)] = counts.missing;
  if (set >= 0) {
    SeenCategories& here = seen[static_cast<size_t>(set)];
    for (int i = 0; i < counts.n; ++i)
      for (int row = 0; row < counts.rows[i]; ++row) here.add(counts.code[i]);
    return;
  }
  const int middle =
      static_cast<int>(std::upper_bound(counts.code, counts.code + counts.n, bin) - counts.code);
  const auto add = [&](CodeRange& range, int i) {
    for (int row = 0; row < counts.rows[i]; ++row) range.add(counts.code[i]);
  };
  const auto add_side = [&](CodeRange& range, int first, int last) {
    // The two lowest and the two highest rows are among the outer two codes at each end.
    for (int i = first; i < std::min(first + 2, last); ++i) add(range, i);
    for (int i = std::max(first + 2, last - 2); i < last; ++i) add(range, i);
  };
  add_side(codes[static_cast<size_t>(left)], 0, middle);
  add_side(codes[static_cast<size_t>(left + 1)], middle, counts.n);
}

void NodeRanges::merge(const NodeRanges& other) {
  for (size_t i = 0; i < codes.size(); ++i) {
    codes[i].merge(other.codes[i]);
    add_missing(i, other.missing[i]);
  }
  for (size_t i = 0; i < seen.size(); ++i) seen[i].merge(other.seen[i]);
}

}  // namespace wgb
