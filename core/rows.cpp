#include "rows.hpp"

namespace wgb {
namespace {

// Four rows of four numbers, turned by halves: pairs of rows first, then pairs of pairs.
struct Turned {
  float v[4][4];
};
WGB_INLINE Turned turn(const float* a, const float* b, const float* c, const float* d) {
  Turned t;
#if defined(__GNUC__) && !defined(__clang__) && !defined(WGBOOST_PLAIN_VECTORS)
  typedef int Int4 __attribute__((vector_size(16)));
  Vec4 ra, rb, rc, rd;
  std::memcpy(&ra, a, sizeof ra);
  std::memcpy(&rb, b, sizeof rb);
  std::memcpy(&rc, c, sizeof rc);
  std::memcpy(&rd, d, sizeof rd);
  const Int4 low = {0, 4, 1, 5}, high = {2, 6, 3, 7}, left = {0, 1, 4, 5}, right = {2, 3, 6, 7};
  const Vec4 ab0 = __builtin_shuffle(ra, rb, low), ab1 = __builtin_shuffle(ra, rb, high);
  const Vec4 cd0 = __builtin_shuffle(rc, rd, low), cd1 = __builtin_shuffle(rc, rd, high);
  const Vec4 turned[4] = {__builtin_shuffle(ab0, cd0, left), __builtin_shuffle(ab0, cd0, right),
                          __builtin_shuffle(ab1, cd1, left), __builtin_shuffle(ab1, cd1, right)};
  std::memcpy(t.v, turned, sizeof t.v);
#else
  for (int i = 0; i < 4; ++i) {
    t.v[i][0] = a[i];
    t.v[i][1] = b[i];
    t.v[i][2] = c[i];
    t.v[i][3] = d[i];
  }
#endif
  return t;
}

}  // namespace

void rows_to_lanes(const float* from, const RowBlock& rows, size_t size, float* to) {
  const float* row[kLanes];
  for (size_t r = 0; r < kLanes; ++r) row[r] = from + rows.row(r) * size;
  size_t i = 0;
  for (; i + 4 <= size; i += 4)
    for (size_t r = 0; r < kLanes; r += 4) {
      const Turned t = turn(row[r] + i, row[r + 1] + i, row[r + 2] + i, row[r + 3] + i);
      for (size_t k = 0; k < 4; ++k) std::memcpy(to + (i + k) * kLanes + r, t.v[k], sizeof t.v[k]);
    }
  for (; i < size; ++i)
    for (size_t r = 0; r < kLanes; ++r) to[i * kLanes + r] = row[r][i];
}

void lanes_to_rows(const float* from, const RowBlock& rows, size_t size, float* to) {
  float* first = to + rows.begin * size;
  size_t i = 0;
  if (rows.count == kLanes)
    for (; i + 4 <= size; i += 4)
      for (size_t r = 0; r < kLanes; r += 4) {
        const float* f = from + i * kLanes + r;
        const Turned t = turn(f, f + kLanes, f + 2 * kLanes, f + 3 * kLanes);
        for (size_t k = 0; k < 4; ++k)
          std::memcpy(first + (r + k) * size + i, t.v[k], sizeof t.v[k]);
      }
  for (; i < size; ++i)
    for (size_t r = 0; r < rows.count; ++r) first[r * size + i] = from[i * kLanes + r];
}

}  // namespace wgb
