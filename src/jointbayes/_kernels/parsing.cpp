// Text to numbers: dense and sparse rows of ARFF, CSV and svmlight files.
#include "parallel.hpp"

void bind_parsing(nb::module_ &) {}
