// Coded columns as the counting kernels see them: a dense column-major matrix, or for each column
// the rows in which it differs from its default (SparseCodes in codes.py).
#pragma once
#include <stdexcept>

#include "parallel.hpp"

using Weights = std::optional<Vector<double>>;
using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;

class CodedColumns {
 public:
  int64_t n = 0, p = 0;

  // A matrix of features, dense or sparse.
  static CodedColumns features(nb::handle features) {
    CodedColumns held;
    if (nb::hasattr(features, "indptr")) {
      auto shape = nb::cast<nb::tuple>(features.attr("shape"));
      held.n = nb::cast<int64_t>(shape[0]);
      held.p = nb::cast<int64_t>(shape[1]);
      held.codes_ = hold<nb::ndim<1>, nb::c_contig>(features.attr("codes"));
      held.default_ = hold<nb::ndim<1>, nb::c_contig>(features.attr("default"));
      held.rows_ = taken<Vector<int32_t>>(features.attr("rows"), "the list of rows");
      held.indptr_ = taken<Vector<int64_t>>(features.attr("indptr"), "where columns begin");
      if (held.default_.itemsize() != held.codes_.itemsize())
        throw nb::type_error("sparse codes and their defaults need one type");
    } else {
      held.codes_ = hold<nb::ndim<2>, nb::f_contig>(features);
      held.n = static_cast<int64_t>(held.codes_.shape(0));
      held.p = static_cast<int64_t>(held.codes_.shape(1));
    }
    return held;
  }

  // One column, dense.
  static CodedColumns target(nb::handle target) {
    CodedColumns held;
    held.codes_ = hold<nb::ndim<1>, nb::c_contig>(target);
    held.n = static_cast<int64_t>(held.codes_.shape(0));
    held.p = 1;
    return held;
  }

  bool sparse() const { return rows_.is_valid() && densified_.empty(); }

  // Call f with the codes as uint8_t, uint16_t or uint32_t: all of them, column-major if dense.
  template <class F> auto visit(F f) const {
    const void *codes = densified_.empty() ? codes_.data() : densified_.data();
    switch (codes_.itemsize()) {
      case 1: return f(static_cast<const uint8_t *>(codes));
      case 2: return f(static_cast<const uint16_t *>(codes));
      default: return f(static_cast<const uint32_t *>(codes));
    }
  }

  int64_t begin(int64_t i) const { return indptr_(i); }
  int64_t end(int64_t i) const { return indptr_(i + 1); }
  const int32_t *rows() const { return rows_.data(); }
  uint32_t default_code(int64_t i) const {
    const char *d = static_cast<const char *>(default_.data()) + i * default_.itemsize();
    uint32_t code = 0;
    std::memcpy(&code, d, default_.itemsize());  // little-endian, as every machine we build for
    return code;
  }

  // The largest code of column i, which says whether something in it was not observed.
  uint32_t largest(int64_t i) const {
    const int64_t from = sparse() ? begin(i) : i * n, to = sparse() ? end(i) : (i + 1) * n;
    uint32_t top = sparse() && to - from < n ? default_code(i) : 0;
    return visit([&](const auto *x) {
      auto most = *x;
      most = 0;
      for (int64_t r = from; r < to; ++r) most = std::max(most, x[r]);
      return std::max<uint32_t>(top, most);
    });
  }

  // Fill in the defaults: for the paths on which every cell is read for every pair anyway.
  void densify() {
    if (!sparse()) return;
    const size_t size = codes_.itemsize();
    std::vector<char> full(static_cast<size_t>(n * p) * size + 1);
    visit([&](const auto *x) {
      using T = std::remove_const_t<std::remove_pointer_t<decltype(x)>>;
      T *to = reinterpret_cast<T *>(full.data());
      for (int64_t i = 0; i < p; ++i) {
        std::fill(to + i * n, to + (i + 1) * n, static_cast<T>(default_code(i)));
        for (int64_t e = begin(i); e < end(i); ++e) to[i * n + rows_(e)] = x[e];
      }
    });
    densified_ = std::move(full);
  }

 private:
  AnyArray codes_, default_;
  Vector<int32_t> rows_;
  Vector<int64_t> indptr_;
  std::vector<char> densified_;

  CodedColumns() = default;

  template <class Axes, class Order> static AnyArray hold(nb::handle array) {
    auto held = taken<nb::ndarray<nb::ro, Axes, Order, nb::device::cpu>>(array, "an array of codes");
    if (!is_code(held.dtype())) throw nb::type_error("codes have to be uint8, uint16 or uint32");
    return AnyArray(held);
  }
};

// What one counting call is about. Feature i has `slots[i]` codes in use: its values, and one more
// if somewhere it was not observed.
struct Task {
  CodedColumns x;
  CodedColumns y;
  std::vector<int64_t> offset;
  int64_t C, V;
  Weights weights;
  int threads;
  std::vector<int64_t> slots, n_c;

  Task(nb::handle features, nb::handle target, Vector<int64_t> offsets, int64_t n_classes,
       Weights w, int n_threads)
      : x(CodedColumns::features(features)), y(CodedColumns::target(target)), offset(offsets.data(), offsets.data() + offsets.shape(0)),
        C(n_classes), weights(w), threads(n_threads), slots(x.p), n_c(n_classes, 0) {
    if (static_cast<int64_t>(offset.size()) != x.p + 1 || y.n != x.n ||
        (weights && static_cast<int64_t>(weights->shape(0)) != x.n))
      throw std::invalid_argument("features, target, weights and offsets do not fit together");
    V = offset.back();
  }

  int64_t card(int64_t i) const { return offset[i + 1] - offset[i]; }
  bool hidden(int64_t i) const { return slots[i] > card(i); }
  // One value in all rows: nothing is to be learned of it.
  bool constant(int64_t i) const { return slots[i] == 1 && card(i) == 1; }

  // Call f with the features' codes and the target's.
  template <class F> void both(F f) const {
    x.visit([&](const auto *codes) { y.visit([&](const auto *target) { f(codes, target); }); });
  }

  // Read everything once: no code beyond its column, no class beyond C, and what was not observed.
  void inspect() {
    if (x.n && y.largest(0) >= C)
      throw std::invalid_argument("a target code is beyond the number of classes");
    parallel_for(x.p + 1, threads, [&](int64_t task) {
      if (task == 0) {
        y.visit([&](const auto *c) { n_c = histogram(x.n, C, [&](int64_t r) { return c[r]; }); });
        return;
      }
      const int64_t i = task - 1;
      const int64_t top = x.n ? x.largest(i) : 0;
      if (top > card(i)) throw std::invalid_argument("a feature code is beyond its values");
      slots[i] = card(i) + (top == card(i) && x.n);
    });
  }

  // How many of n rows fall in each cell. Neighbouring rows are often alike: four tables, if small,
  // keep increments of one cell from waiting for each other.
  template <class Cell> static std::vector<int64_t> histogram(int64_t n, int64_t size, Cell cell) {
    const int64_t apart = size <= 4096 ? size : 0;
    std::vector<uint32_t> h(size + 3 * apart, 0);
    int64_t r = 0;
    for (; r + 4 <= n; r += 4)
      for (int q = 0; q < 4; ++q) ++h[q * apart + cell(r + q)];
    for (; r < n; ++r) ++h[cell(r)];
    std::vector<int64_t> sum(h.begin(), h.begin() + size);
    for (int64_t z = size; z < static_cast<int64_t>(h.size()); ++z) sum[z % size] += h[z];
    return sum;
  }

  // The weight of each class.
  std::vector<double> class_weights() const {
    std::vector<double> sum(n_c.begin(), n_c.end());
    if (!weights) return sum;
    std::fill(sum.begin(), sum.end(), 0.0);
    y.visit([&](const auto *c) {
      for (int64_t r = 0; r < x.n; ++r) sum[c[r]] += (*weights)(r);
    });
    return sum;
  }
};
