// Class-conditional counts of coded columns: one feature, and pairs of features.
#include "parallel.hpp"

namespace {

template <class T>
nb::ndarray<nb::numpy, double> count_singles(Columns<T> features, Vector<uint32_t> target,
                                             Vector<int64_t> offsets, int64_t n_classes,
                                             int threads) {
  const int64_t n = features.shape(0), p = features.shape(1), total = offsets(p);
  std::vector<double> out(n_classes * total, 0.0);
  {
    nb::gil_scoped_release release;
    parallel_for(p, threads, [&](int64_t i) {
      const int64_t k = offsets(i + 1) - offsets(i);
      std::vector<int64_t> h(n_classes * (k + 1), 0);  // one cell more: not observed
      const T *x = features.data() + i * n;
      const uint32_t *y = target.data();
      for (int64_t r = 0; r < n; ++r) ++h[y[r] * (k + 1) + x[r]];
      for (int64_t c = 0; c < n_classes; ++c)
        for (int64_t v = 0; v < k; ++v)
          out[c * total + offsets(i) + v] = static_cast<double>(h[c * (k + 1) + v]);
    });
  }
  return give(std::move(out), {static_cast<size_t>(n_classes), static_cast<size_t>(total)});
}

}  // namespace

void bind_counting(nb::module_ &m) {
  m.def("count_singles", &count_singles<uint8_t>);
  m.def("count_singles", &count_singles<uint16_t>);
  m.def("count_singles", &count_singles<uint32_t>);
}
