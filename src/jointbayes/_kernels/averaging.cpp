// Joint probabilities under every feature as common parent: p² table rows are added for each row.
#include "parallel.hpp"

namespace {

template <class T> using Cube = nb::ndarray<const T, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

constexpr int64_t kRows = 256;  // rows that pass one parent's table before the next parent's turn

// Add the table rows of all children to the sums of one data row. The number of classes is known
// to the compiler where it is small, so that the sums stay in registers.
template <int kClasses>
inline void add_children(const double *__restrict table, const int32_t *__restrict place, int64_t p,
                         int64_t n_classes, double *__restrict total) {
  if constexpr (kClasses > 0) {
    double sum[kClasses];
    for (int c = 0; c < kClasses; ++c) sum[c] = total[c];
    for (int64_t i = 0; i < p; ++i)
      for (int c = 0; c < kClasses; ++c) sum[c] += table[place[i] * kClasses + c];
    for (int c = 0; c < kClasses; ++c) total[c] = sum[c];
  } else {
    for (int64_t i = 0; i < p; ++i)
      for (int64_t c = 0; c < n_classes; ++c) total[c] += table[place[i] * n_classes + c];
  }
}

template <int kClasses, class T>
void fill(const Columns<T> &x, const Vector<int64_t> &start, const Rows<double> &log_joint,
          const Cube<double> &log_child, double *out) {
  const int64_t n = x.shape(0), p = x.shape(1), n_classes = log_joint.shape(1);
  const int64_t slab = log_joint.shape(0) * n_classes;
  std::vector<int32_t> place(kRows * p);
  for (int64_t first = 0; first < n; first += kRows) {
    const int64_t rows = std::min(kRows, n - first);
    for (int64_t i = 0; i < p; ++i)
      for (int64_t r = 0; r < rows; ++r)
        place[r * p + i] = static_cast<int32_t>(start(i) + x.data()[i * n + first + r]);
    for (int64_t parent = 0; parent < p; ++parent)
      for (int64_t r = 0; r < rows; ++r) {
        const int64_t value = place[r * p + parent];
        double *total = out + (parent * n + first + r) * n_classes;
        std::copy_n(log_joint.data() + value * n_classes, n_classes, total);
        add_children<kClasses>(log_child.data() + value * slab, place.data() + r * p, p, n_classes,
                               total);
      }
  }
}

template <class T>
nb::ndarray<nb::numpy, double> parent_joints(Columns<T> features, Vector<int64_t> start,
                                             Rows<double> log_joint, Cube<double> log_child) {
  const size_t n = features.shape(0), p = features.shape(1), n_classes = log_joint.shape(1);
  std::vector<double> out(p * n * n_classes);
  {
    nb::gil_scoped_release release;
    auto run = [&](auto classes) {
      fill<decltype(classes)::value>(features, start, log_joint, log_child, out.data());
    };
    switch (n_classes) {
      case 2: run(std::integral_constant<int, 2>{}); break;
      case 3: run(std::integral_constant<int, 3>{}); break;
      case 4: run(std::integral_constant<int, 4>{}); break;
      case 5: run(std::integral_constant<int, 5>{}); break;
      case 6: run(std::integral_constant<int, 6>{}); break;
      case 7: run(std::integral_constant<int, 7>{}); break;
      case 8: run(std::integral_constant<int, 8>{}); break;
      case 10: run(std::integral_constant<int, 10>{}); break;
      default: run(std::integral_constant<int, 0>{});
    }
  }
  return give(std::move(out), {p, n, n_classes});
}

}  // namespace

void bind_averaging(nb::module_ &m) {
  define(m, "parent_joints", parent_joints<uint8_t>);
  define(m, "parent_joints", parent_joints<uint16_t>);
  define(m, "parent_joints", parent_joints<uint32_t>);
}
