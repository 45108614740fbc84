// Spanning trees of many small weight matrices: one tree per row and label.
#include "parallel.hpp"

void bind_trees(nb::module_ &) {}
