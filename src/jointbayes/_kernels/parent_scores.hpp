// What both ways of scoring parents share: BDeu's terms, the counts they read, the best sets so far.
#pragma once
#include <cmath>
#include <map>
#include <mutex>

#include "parallel.hpp"

constexpr double kTie = 1e-9;  // BDeu is score-equivalent: exact ties differ by rounding

inline double log_gamma(double x) {
#if defined(__GLIBC__)
  int sign;
  return lgamma_r(x, &sign);  // lgamma alone writes a global
#else
  return std::lgamma(x);
#endif
}

// lgamma(a + n) - lgamma(a), where a is the sample size of one of so many cells: from a table for
// whole counts up to N.
struct Rising {
  const double *table;
  double a, zero;
  double operator()(double n) const {
    return table ? table[static_cast<int64_t>(n)] : log_gamma(a + n) - zero;
  }
};

struct GammaTables {
  GammaTables(double n, double ess, bool whole)
      : n_rows(static_cast<int64_t>(n)), ess(ess), whole(whole) {}

  Rising rising(int64_t cells) {
    const double a = ess / static_cast<double>(cells), zero = log_gamma(a);
    if (!whole) return {nullptr, a, zero};
    std::lock_guard<std::mutex> lock(mutex);
    auto [place, fresh] = tables.try_emplace(cells);
    if (fresh) {
      place->second.resize(n_rows + 1);
      for (int64_t k = 0; k <= n_rows; ++k)
        place->second[k] = log_gamma(a + static_cast<double>(k)) - zero;
    }
    return {place->second.data(), a, zero};
  }

  int64_t n_rows;
  double ess;
  bool whole;
  std::mutex mutex;
  std::map<int64_t, std::vector<double>> tables;
};

struct Known {  // what is known of the classes: the distinct label vectors and their rows
  const uint32_t *vectors;  // column-major
  const double *rows;      // of each vector
  int64_t n_vectors;
  std::vector<int> cards;
  const uint32_t *column(int p) const { return vectors + p * n_vectors; }
};

struct Child {  // counts by vector and state
  const double *counts;
  int64_t stride;
  int states;
  const double *of(int64_t vector) const { return counts + vector * stride; }
};

// The best set of each size, the earliest of ties; then the smallest size that is as good as any.
struct Winners {
  explicit Winners(int largest) : scores(largest + 1, -INFINITY), sets(largest + 1) {}

  void offer(double score, const std::vector<int> &prefix, int last) {
    const size_t size = prefix.size() + 1;
    if (score <= scores[size] + kTie) return;
    scores[size] = score;
    sets[size] = prefix;
    sets[size].push_back(last);
  }
  size_t size() const {
    const double top = *std::max_element(scores.begin(), scores.end());
    size_t k = 0;
    while (scores[k] < top - kTie) ++k;
    return k;
  }
  std::vector<double> scores;
  std::vector<std::vector<int>> sets;
};
