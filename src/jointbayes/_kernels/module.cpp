// The compiled kernels. Each has a numpy definition of the same name and signature beside it:
// counting.cpp and counting.py, and so on. The definition is the specification.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_averaging(nb::module_ &);
void bind_beliefs(nb::module_ &);
void bind_bridge(nb::module_ &);
void bind_chains(nb::module_ &);
void bind_counting(nb::module_ &);
void bind_cuts(nb::module_ &);
void bind_families(nb::module_ &);
void bind_forest(nb::module_ &);
void bind_gathering(nb::module_ &);
void bind_histograms(nb::module_ &);
void bind_information(nb::module_ &);
void bind_joint_forest(nb::module_ &);
void bind_maxima(nb::module_ &);
void bind_nearest(nb::module_ &);
void bind_orders(nb::module_ &);
void bind_parsing(nb::module_ &);
void bind_permutations(nb::module_ &);
void bind_solver(nb::module_ &);
void bind_sparse_rows(nb::module_ &);
void bind_transposing(nb::module_ &);
void bind_trees(nb::module_ &);

NB_MODULE(_fast, m) {
  m.doc() = "Compiled kernels of jointbayes; use jointbayes._kernels, which falls back on numpy.";
  bind_averaging(m);
  bind_beliefs(m);
  bind_bridge(m);
  bind_chains(m);
  bind_counting(m);
  bind_cuts(m);
  bind_families(m);
  bind_forest(m);
  bind_gathering(m);
  bind_histograms(m);
  bind_information(m);
  bind_joint_forest(m);
  bind_maxima(m);
  bind_nearest(m);
  bind_orders(m);
  bind_parsing(m);
  bind_permutations(m);
  bind_solver(m);
  bind_sparse_rows(m);
  bind_transposing(m);
  bind_trees(m);
}
