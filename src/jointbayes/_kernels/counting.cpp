// Class-conditional counts of coded columns: one feature, and pairs of features.
#include <nanobind/stl/optional.h>

#include "parallel.hpp"

namespace {

template <class T>
nb::ndarray<nb::numpy, double> count_singles(Columns<T> features, Vector<uint32_t> target,
                                             Vector<int64_t> offsets, int64_t n_classes,
                                             std::optional<Vector<double>> weights, int threads) {
  const int64_t n = features.shape(0), p = features.shape(1), total = offsets(p);
  std::vector<double> out(n_classes * total, 0.0);
  {
    nb::gil_scoped_release release;
    parallel_for(p, threads, [&](int64_t i) {
      const int64_t k = offsets(i + 1) - offsets(i);
      std::vector<double> h(n_classes * (k + 1), 0.0);  // one cell more: not observed
      const T *x = features.data() + i * n;
      const uint32_t *y = target.data();
      for (int64_t r = 0; r < n; ++r) h[y[r] * (k + 1) + x[r]] += weights ? (*weights)(r) : 1.0;
      for (int64_t c = 0; c < n_classes; ++c)
        for (int64_t v = 0; v < k; ++v)
          out[c * total + offsets(i) + v] = h[c * (k + 1) + v];
    });
  }
  return give(std::move(out), {static_cast<size_t>(n_classes), static_cast<size_t>(total)});
}

template <class T>
nb::ndarray<nb::numpy, double> count_pairs(Columns<T> features, Vector<uint32_t> target,
                                           Vector<int64_t> offsets, int64_t n_classes,
                                           std::optional<Vector<double>> weights, int threads) {
  const int64_t n = features.shape(0), p = features.shape(1), total = offsets(p);
  std::vector<double> out(n_classes * total * total, 0.0);
  {
    nb::gil_scoped_release release;
    parallel_for(p, threads, [&](int64_t i) {
      for (int64_t j = i; j < p; ++j) {
        const T *x = features.data() + i * n, *z = features.data() + j * n;
        const uint32_t *y = target.data();
        const int64_t k = offsets(i + 1) - offsets(i), l = offsets(j + 1) - offsets(j);
        for (int64_t r = 0; r < n; ++r)
          if (x[r] < k && z[r] < l)
            out[(y[r] * total + offsets(i) + x[r]) * total + offsets(j) + z[r]] +=
                weights ? (*weights)(r) : 1.0;
        for (int64_t c = 0; c < n_classes; ++c)
          for (int64_t v = offsets(i); v < offsets(i + 1); ++v)
            for (int64_t w = offsets(j); w < offsets(j + 1); ++w)
              out[(c * total + w) * total + v] = out[(c * total + v) * total + w];
      }
    });
  }
  return give(std::move(out), {static_cast<size_t>(n_classes), static_cast<size_t>(total),
                               static_cast<size_t>(total)});
}

}  // namespace

void bind_counting(nb::module_ &m) {
  m.def("count_singles", &count_singles<uint8_t>, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
  m.def("count_singles", &count_singles<uint16_t>, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
  m.def("count_singles", &count_singles<uint32_t>, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
  m.def("count_pairs", &count_pairs<uint8_t>, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
  m.def("count_pairs", &count_pairs<uint16_t>, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
  m.def("count_pairs", &count_pairs<uint32_t>, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
}
