// From a row-major table of bytes to a column-major one, eight columns and sixteen rows at a time.
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
// from `first` on are written. `top` keeps the largest of each column.
inline void transpose_16_by_8(const uint8_t *rows, int64_t p, uint8_t *columns, int64_t n,
                              int64_t first, Bytes *top) {
  Bytes x[8], z[8];
  for (int k = 0; k < 8; ++k) z[k] = low(eight(rows + k * p), eight(rows + (k + 8) * p));
  for (int k = 0; k < 4; ++k) x[2 * k] = low(z[k], z[k + 4]), x[2 * k + 1] = high(z[k], z[k + 4]);
  for (int k = 0; k < 4; ++k) z[2 * k] = low(x[k], x[k + 4]), z[2 * k + 1] = high(x[k], x[k + 4]);
  for (int k = 0; k < 4; ++k) x[2 * k] = low(z[k], z[k + 4]), x[2 * k + 1] = high(z[k], z[k + 4]);
  for (int64_t k = first; k < 8; ++k) std::memcpy(columns + k * n, &x[k], 16);
  for (int k = 0; k < 8; ++k) top[k] = top[k] > x[k] ? top[k] : x[k];
}

// Fill the columns and return the largest code of each.
nb::ndarray<nb::numpy, uint8_t> to_columns(
    Rows<uint8_t> rows, nb::ndarray<uint8_t, nb::ndim<2>, nb::f_contig> columns, int threads) {
  constexpr int64_t STRETCH = 1 << 12;
  const int64_t n = static_cast<int64_t>(rows.shape(0)), p = static_cast<int64_t>(rows.shape(1));
  if (columns.shape(0) != rows.shape(0) || columns.shape(1) != rows.shape(1))
    throw nb::value_error("rows and columns differ in shape");
  const uint8_t *from = rows.data();
  uint8_t *to = columns.data();
  std::vector<uint8_t> largest(p, 0);
  {
    nb::gil_scoped_release release;
    std::mutex comparing;
    parallel_for((n + STRETCH - 1) / STRETCH, threads, [&](int64_t s) {
      const int64_t begin = s * STRETCH, end = std::min(n, begin + STRETCH);
      const int64_t even = p < 8 ? begin : end - end % 16;
      std::vector<uint8_t> seen(p, 0);
      // The last eight columns may overlap the ones before, which are not written again.
      for (int64_t j = 0; j < p && p >= 8; j += 8) {
        const int64_t i = std::min(j, p - 8);
        Bytes top[8] = {};
        for (int64_t r = begin; r < even; r += 16)
          transpose_16_by_8(from + r * p + i, p, to + i * n + r, n, j - i, top);
        for (int64_t k = 0; k < 8; ++k)
          for (int b = 0; b < 16; ++b) seen[i + k] = std::max<uint8_t>(seen[i + k], top[k][b]);
      }
      for (int64_t j = 0; j < p; ++j)
        for (int64_t r = even; r < end; ++r) {
          const uint8_t code = from[r * p + j];
          to[j * n + r] = code;
          seen[j] = std::max(seen[j], code);
        }
      std::lock_guard<std::mutex> lock(comparing);
      for (int64_t j = 0; j < p; ++j) largest[j] = std::max(largest[j], seen[j]);
    });
  }
  return give(std::move(largest), {static_cast<size_t>(p)});
}

}  // namespace

void bind_transposing(nb::module_ &m) { define(m, "to_columns", to_columns); }
