// Factor graphs of one structure as they come from outside: inference/flat.py.
#pragma once
#include "parallel.hpp"

struct FlatGraph {
  Vector<int64_t> cards, scope_at, scopes, at;
  Vector<double> shared;
  Rows<double> rows;

  size_t n_factors() const { return at.shape(0); }

  // The cells of a factor: from at(f) on, those that rows share first.
  const double *cells(size_t f, int64_t row) const {
    const int64_t start = at(f), fixed = static_cast<int64_t>(shared.shape(0));
    return start < fixed ? shared.data() + start
                         : rows.data() + row * rows.shape(1) + (start - fixed);
  }
};
