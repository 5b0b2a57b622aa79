#include "answers.hpp"

#include <algorithm>
#include <cstring>

namespace wgb {
namespace {

constexpr uint16_t kLost = 0x8000;
constexpr uint64_t kAnyLost = 0x8000800080008000;  // of the rows in a word
constexpr size_t kRowsPerWord = sizeof(uint64_t) / sizeof(uint16_t);
constexpr int32_t kNumberedNodes = 511;  // of trees whose lost rows go on from where they were lost

// The answers of a child to all rows of a block: those of a leaf are all the same.
struct OneLeaf {
  uint16_t id;
  WGB_INLINE uint16_t operator[](size_t) const { return id; }
};
struct Answers {
  const uint16_t* of;
  WGB_INLINE uint16_t operator[](size_t r) const { return of[r]; }
};

// What a node passes on: its left or right child's answer.
struct Question {
  const uint16_t* WGB_RESTRICT value;
  uint16_t cut;

  template <class Left, class Right>
  WGB_INLINE void pass(const Left& left, const Right& right, uint16_t* WGB_RESTRICT answer) const {
    const uint16_t at = cut;
    for (size_t r = 0; r < kRowsPerBlock; ++r) {
      const auto take = static_cast<uint16_t>(-static_cast<int>(value[r] <= at));
      answer[r] = static_cast<uint16_t>((left[r] & take) | (right[r] & ~take));
    }
  }
};

// The same, and a row in the range of neither child is lost: its answer is `lost`. Missing values
// are in no range, and go on where the node has seen some.
struct RangeQuestion {
  const uint16_t* WGB_RESTRICT value;
  Hull hull;
  uint16_t lost;  // 0 costs nothing
  bool sees_missing, missing_left;

  template <class Left, class Right>
  WGB_INLINE void pass(const Left& left, const Right& right, uint16_t* WGB_RESTRICT answer) const {
    const Hull in = hull;
    const uint16_t mark = lost;
    if (mark == 0) {
      for (size_t r = 0; r < kRowsPerBlock; ++r)
        answer[r] = static_cast<uint16_t>((left[r] & within(value[r], in.left, in.left_width)) |
                                          (right[r] & within(value[r], in.right, in.right_width)));
    } else {
      for (size_t r = 0; r < kRowsPerBlock; ++r) {
        const uint16_t on_left = within(value[r], in.left, in.left_width);
        const uint16_t on_right = within(value[r], in.right, in.right_width);
        answer[r] = static_cast<uint16_t>((left[r] & on_left) | (right[r] & on_right) |
                                          (mark & ~(on_left | on_right)));
      }
    }
    if (!sees_missing) return;
    const auto take = static_cast<uint16_t>(missing_left ? 0xFFFF : 0);
    for (size_t r = 0; r < kRowsPerBlock; ++r) {
      const auto is_missing = static_cast<uint16_t>(-static_cast<int>(value[r] == kMissingRank));
      const auto there = static_cast<uint16_t>((left[r] & take) | (right[r] & ~take));
      answer[r] = static_cast<uint16_t>((answer[r] & ~is_missing) | (there & is_missing));
    }
  }

 private:
  static WGB_INLINE uint16_t within(uint16_t rank, uint16_t first, uint16_t width) {
    return static_cast<uint16_t>(-static_cast<int>(static_cast<uint16_t>(rank - first) <= width));
  }
};

template <class Any>
WGB_INLINE void ask_children(const Any& question, const Answers& left, const Answers& right,
                             int left_id, int right_id, uint16_t* answer) {
  const OneLeaf left_leaf{static_cast<uint16_t>(left_id)}, right_leaf{static_cast<uint16_t>(right_id)};
  if (left_id > 0 && right_id > 0) question.pass(left_leaf, right_leaf, answer);
  else if (left_id > 0) question.pass(left_leaf, right, answer);
  else if (right_id > 0) question.pass(left, right_leaf, answer);
  else question.pass(left, right, answer);
}

// Answers are 1 + the leaf's place in the tree. Those of lost rows are kLost + 1 + the place of the
// node that lost them, or 0 where that is not worth its cost.
WGB_CLONES size_t ask_clones(const Asking& asking, const ForestTree& tree, uint16_t* answers,
                             int32_t* leaf, uint8_t* lost_rows) {
  const ForestNode* nodes = asking.nodes;
  const Boundaries* boundaries = asking.boundaries;
  const bool numbered = tree.last - tree.first <= kNumberedNodes;
  for (int32_t i = tree.last - 1; i >= tree.first; --i) {
    const ForestNode& node = nodes[i];
    if (node.leaf >= 0) continue;
    uint16_t* answer = answers + static_cast<size_t>(i - tree.first) * kRowsPerBlock;
    const Answers left{answers + static_cast<size_t>(node.next - tree.first) * kRowsPerBlock};
    const Answers right{left.of + kRowsPerBlock};
    const int32_t of_left = nodes[node.next].leaf, of_right = nodes[node.next + 1].leaf;
    const int left_id = of_left < 0 ? 0 : of_left - tree.first_leaf + 1;
    const int right_id = of_right < 0 ? 0 : of_right - tree.first_leaf + 1;
    const uint16_t* high = asking.block.high + node.feature * kRowsPerBlock;
    const auto lost =
        static_cast<uint16_t>(numbered ? kLost + 1 + static_cast<uint16_t>(i - tree.first) : 0);
    if (node.asks == kSet) {
      const CategorySet& set = asking.sets.at(i);
      const CategorySet* seen = boundaries ? &asking.sets.seen_at(*boundaries, i).once : nullptr;
      const bool sees_missing = !boundaries || boundaries->missing[i] > 0;
      for (size_t r = 0; r < kRowsPerBlock; ++r) {
        const bool go_left = has_rank(set, high[r]);
        const int id = go_left ? left_id : right_id;
        const bool known = high[r] >= kNoCategory ? sees_missing : !seen || seen->has(high[r]);
        const uint16_t below = id > 0 ? static_cast<uint16_t>(id) : (go_left ? left : right)[r];
        answer[r] = known ? below : lost;
      }
    } else if (boundaries) {
      const RangeQuestion question{high, node.hull, lost, boundaries->missing[i] > 0,
                                   node.asks == kLeft};
      ask_children(question, left, right, left_id, right_id, answer);
    } else {
      const uint16_t* low = asking.block.low + node.feature * kRowsPerBlock;
      const Question question{node.asks == kLeft ? low : high,
                              static_cast<uint16_t>(asking.by_bin ? node.bin : node.rank)};
      ask_children(question, left, right, left_id, right_id, answer);
    }
  }
  if (nodes[tree.first].leaf >= 0) {
    std::fill_n(leaf, kRowsPerBlock, nodes[tree.first].leaf);
    return 0;
  }
  uint16_t marks[kRowsPerBlock], any = 0;
  for (size_t r = 0; r < kRowsPerBlock; ++r) {
    marks[r] = static_cast<uint16_t>(answers[r] - 1);
    leaf[r] = tree.first_leaf - 1 + answers[r];
    any |= marks[r];
  }
  if (!boundaries || !(any & kLost)) return 0;
  size_t n = 0;
  for (size_t from = 0; from < asking.block.rows; from += kRowsPerWord) {
    uint64_t word;  // few rows are lost: most words have none
    std::memcpy(&word, marks + from, sizeof word);
    if (!(word & kAnyLost)) continue;
    const size_t to = std::min(from + kRowsPerWord, asking.block.rows);
    for (size_t r = from; r < to; ++r)
      if (marks[r] & kLost) lost_rows[n++] = static_cast<uint8_t>(r);
  }
  for (size_t i = 0; i < n; ++i) {
    const uint16_t mark = marks[lost_rows[i]];
    leaf[lost_rows[i]] = ~(tree.first + (mark == 0xFFFF ? 0 : mark - kLost));
  }
  return n;
}

}  // namespace

size_t ask_all(const Asking& asking, const ForestTree& tree, uint16_t* answers, int32_t* leaf,
               uint8_t* lost_rows) {
  return ask_clones(asking, tree, answers, leaf, lost_rows);
}

int32_t descend(const Asking& asking, int32_t at, size_t r) {
  while (asking.nodes[at].leaf < 0) at = next_node(asking, at, r);
  return asking.nodes[at].leaf;
}

}  // namespace wgb
