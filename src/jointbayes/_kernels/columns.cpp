// From a row-major table of bytes to a column-major one, eight columns and sixteen rows at a time.
#include <nanobind/stl/optional.h>

#include "parallel.hpp"

namespace {

typedef uint8_t Bytes __attribute__((vector_size(16)));

// The bytes of a and b in turn: of their first halves, or of their second halves.
inline Bytes low(Bytes a, Bytes b) {
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
inline Bytes high(Bytes a, Bytes b) {
  return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

inline Bytes eight(const uint8_t *bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, 8);
  typedef uint64_t Words __attribute__((vector_size(16)));
  return reinterpret_cast<Bytes>(Words{word, 0});
}

// Perfect shuffles, four times over, of 16 rows of 8 bytes are their transpose, of which the columns
// from `first` on are written.
inline void transpose_16_by_8(const uint8_t *rows, int64_t p, uint8_t *columns, int64_t n,
                              int64_t first) {
  Bytes x[8], z[8];
  for (int k = 0; k < 8; ++k) z[k] = low(eight(rows + k * p), eight(rows + (k + 8) * p));
  for (int k = 0; k < 4; ++k) x[2 * k] = low(z[k], z[k + 4]), x[2 * k + 1] = high(z[k], z[k + 4]);
  for (int k = 0; k < 4; ++k) z[2 * k] = low(x[k], x[k + 4]), z[2 * k + 1] = high(x[k], x[k + 4]);
  for (int k = 0; k < 4; ++k) x[2 * k] = low(z[k], z[k + 4]), x[2 * k + 1] = high(z[k], z[k + 4]);
  for (int64_t k = first; k < 8; ++k) std::memcpy(columns + k * n, &x[k], 16);
}

void to_columns(Rows<uint8_t> rows, nb::ndarray<uint8_t, nb::ndim<2>, nb::f_contig> columns,
                int threads) {
  constexpr int64_t STRETCH = 1 << 12;
  const int64_t n = static_cast<int64_t>(rows.shape(0)), p = static_cast<int64_t>(rows.shape(1));
  if (columns.shape(0) != rows.shape(0) || columns.shape(1) != rows.shape(1))
    throw nb::value_error("rows and columns differ in shape");
  const uint8_t *from = rows.data();
  uint8_t *to = columns.data();
  nb::gil_scoped_release release;
  parallel_for((n + STRETCH - 1) / STRETCH, threads, [&](int64_t s) {
    const int64_t end = std::min(n, (s + 1) * STRETCH);
    const int64_t even = p < 8 ? s * STRETCH : end - end % 16;
    // The last eight columns may overlap the ones before, which are not written again.
    for (int64_t j = 0; j < p && p >= 8; j += 8)
      for (int64_t r = s * STRETCH; r < even; r += 16) {
        const int64_t i = std::min(j, p - 8);
        transpose_16_by_8(from + r * p + i, p, to + i * n + r, n, j - i);
      }
    for (int64_t j = 0; j < p; ++j)
      for (int64_t r = even; r < end; ++r) to[j * n + r] = from[r * p + j];
  });
}

}  // namespace

void bind_columns(nb::module_ &m) { m.def("to_columns", &to_columns); }
