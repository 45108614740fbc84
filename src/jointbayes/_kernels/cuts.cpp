// Where to cut a numeric column: distinct values by class, and the MDL criterion on them.
#include "parallel.hpp"

void bind_cuts(nb::module_ &) {}
