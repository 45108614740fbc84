// Sums of table rows that codes pick: the whole of prediction with a network that is fully observed.
#include "parallel.hpp"

namespace {

template <class T> using Block = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;

constexpr int64_t kRows = 256;  // rows whose cells stay in the cache until they are looked up

// Add the table rows of all terms to the sums of every data row; cells come term by term. The
// number of classes is known to the compiler where it is small, so that sums stay in registers.
template <int kClasses>
void add_rows(const double *__restrict table, const int32_t *__restrict cell, int64_t rows,
              int64_t terms, int64_t n_classes, double *__restrict total) {
  for (int64_t r = 0; r < rows; ++r) {
    if constexpr (kClasses > 0) {
      double sum[kClasses];
      for (int c = 0; c < kClasses; ++c) sum[c] = total[r * kClasses + c];
      for (int64_t t = 0; t < terms; ++t) {
        const double *row = table + static_cast<int64_t>(cell[t * kRows + r]) * kClasses;
        for (int c = 0; c < kClasses; ++c) sum[c] += row[c];
      }
      for (int c = 0; c < kClasses; ++c) total[r * kClasses + c] = sum[c];
    } else {
      for (int64_t t = 0; t < terms; ++t) {
        const double *row = table + cell[t * kRows + r] * n_classes;
        for (int64_t c = 0; c < n_classes; ++c) total[r * n_classes + c] += row[c];
      }
    }
  }
}

using AddRows = void (*)(const double *, const int32_t *, int64_t, int64_t, int64_t, double *);

AddRows choose(int64_t n_classes) {
  switch (n_classes) {
    case 1: return add_rows<1>;
    case 2: return add_rows<2>;
    case 3: return add_rows<3>;
    case 4: return add_rows<4>;
    case 5: return add_rows<5>;
    case 6: return add_rows<6>;
    case 7: return add_rows<7>;
    case 8: return add_rows<8>;
    case 10: return add_rows<10>;
    default: return add_rows<0>;
  }
}

template <class T>
nb::ndarray<nb::numpy, double> add_terms(Block<T> x, Vector<double> first, Rows<double> cells,
                                         Vector<int64_t> start, Rows<int64_t> members,
                                         Rows<int64_t> strides) {
  const int64_t n = x.shape(0), n_classes = first.shape(0);
  std::vector<double> out(n * n_classes);
  {
    nb::gil_scoped_release release;
    const AddRows add = choose(n_classes);
    const int64_t terms = start.shape(0), jump = x.stride(0);
    std::vector<int32_t> cells_of(terms * kRows);
    for (int64_t begin = 0; begin < n; begin += kRows) {
      const int64_t rows = std::min(kRows, n - begin);
      double *total = out.data() + begin * n_classes;
      for (int64_t r = 0; r < rows; ++r)
        std::copy_n(first.data(), n_classes, total + r * n_classes);
      for (int64_t t = 0; t < terms; ++t) {
        int32_t *cell = cells_of.data() + t * kRows;
        std::fill_n(cell, rows, static_cast<int32_t>(start(t)));
        for (size_t j = 0; j < members.shape(1); ++j) {
          const auto step = static_cast<int32_t>(strides(t, j));
          const T *code = x.data() + members(t, j) * x.stride(1) + begin * jump;
          if (step && jump == 1)
            for (int64_t r = 0; r < rows; ++r) cell[r] += step * static_cast<int32_t>(code[r]);
          else if (step)
            for (int64_t r = 0; r < rows; ++r) cell[r] += step * static_cast<int32_t>(code[r * jump]);
        }
      }
      add(cells.data(), cells_of.data(), rows, terms, n_classes, total);
    }
  }
  return give(std::move(out), {static_cast<size_t>(n), static_cast<size_t>(n_classes)});
}

}  // namespace

void bind_gathering(nb::module_ &m) {
  define(m, "add_terms", add_terms<uint8_t>);
  define(m, "add_terms", add_terms<uint16_t>);
  define(m, "add_terms", add_terms<uint32_t>);
}
