// Upper bounds on the maximum of a factor graph by moving weight between factors and variables.
//
//   max_y [ c + Σ_v u_v(y_v) + Σ_f t_f(y_f) ]  ≤  c + Σ_v max u_v + Σ_f max t_f
//
// Adding a function of y_v to one term and taking it from another changes the right side alone. A
// sweep makes it smaller: each variable in turn collects what its factors say of it (the maxima of
// their tables for each of its values) and hands equal shares back to those that have variables
// still to come. After a sweep all tables have maximum 0 and the bound is the constant.
#pragma once
#include <algorithm>
#include <limits>

#include "factor_problem.hpp"

constexpr double kNever = -std::numeric_limits<double>::infinity();

// Binary variables late in a scope: their values alternate within eight cells, which are taken
// side by side.
constexpr int32_t kLanes = 8;

inline bool alternating(const Use &use, int32_t card) {
  return card == 2 && kLanes % (2 * use.inner) == 0 && use.outer * 2 * use.inner % kLanes == 0;
}

// m[c] = max of the table where the variable has value c.
inline void collect(const double *table, const Use &use, int32_t card, double *m) {
  std::fill_n(m, card, kNever);
  if (alternating(use, card)) {
    double lane[kLanes];
    std::copy_n(table, kLanes, lane);
    for (const double *end = table + use.outer * 2 * use.inner; (table += kLanes) < end;)
      for (int32_t j = 0; j < kLanes; ++j) lane[j] = std::max(lane[j], table[j]);
    for (int32_t j = 0; j < kLanes; ++j) {
      double &own = m[j / use.inner & 1];
      own = std::max(own, lane[j]);
    }
    return;
  }
  for (int32_t o = 0; o < use.outer; ++o)
    for (int32_t c = 0; c < card; ++c, table += use.inner) {
      double lane[4] = {m[c], m[c], m[c], m[c]};
      int32_t i = 0;
      for (; i + 4 <= use.inner; i += 4)
        for (int32_t j = 0; j < 4; ++j) lane[j] = std::max(lane[j], table[i + j]);
      for (; i < use.inner; ++i) lane[0] = std::max(lane[0], table[i]);
      m[c] = std::max(std::max(lane[0], lane[1]), std::max(lane[2], lane[3]));
    }
}

inline void add_to(double *table, const Use &use, int32_t card, const double *delta) {
  if (alternating(use, card)) {
    double lane[kLanes];
    for (int32_t j = 0; j < kLanes; ++j) lane[j] = delta[j / use.inner & 1];
    for (const double *end = table + use.outer * 2 * use.inner; table < end; table += kLanes)
      for (int32_t j = 0; j < kLanes; ++j) table[j] += lane[j];
    return;
  }
  for (int32_t o = 0; o < use.outer; ++o)
    for (int32_t c = 0; c < card; ++c)
      for (int32_t i = 0; i < use.inner; ++i) *table++ += delta[c];
}

// What a sweep found besides the bound: values that cannot be in a vector above the threshold, and
// by how much the second value of each variable is worse than the first.
struct Sweep {
  std::vector<char> alive;
  Doubles margin;
  bool removed = false;

  void reset(const Problem &p) {
    alive.assign(p.unary.size(), 1);
    margin.assign(p.size(), 0.0);
    removed = false;
  }
};

class Sweeper {
 public:
  // Return the new bound; `bound` is one that holds already (infinity if none is known).
  double run(Problem &p, bool forward, double bound, double threshold, Sweep &found) {
    found.reset(p);
    for (int32_t i = 0; i < p.size(); ++i)
      visit(p, forward ? i : p.size() - 1 - i, forward, bound, threshold, found);
    return p.constant;
  }

 private:
  Doubles said_, delta_;

  void visit(Problem &p, int32_t v, bool forward, double bound, double threshold, Sweep &found) {
    const int32_t card = p.card[v], begin = p.use_at[v], end = p.use_at[v + 1];
    double *unary = p.unary.data() + p.unary_at[v];
    said_.resize(static_cast<size_t>(end - begin + 1) * card);
    delta_.resize(card);
    int32_t early = 0, late = 0;
    for (int32_t u = begin; u < end; ++u) {
      double *m = said_.data() + static_cast<size_t>(u - begin) * card;
      collect(p.cells.data() + p.uses[u].table, p.uses[u], card, m);
      for (int32_t c = 0; c < card; ++c) unary[c] += m[c];
      early += !p.uses[u].first;
      late += !p.uses[u].last;
    }
    settle(p, v, unary, bound, threshold, found);
    const double share = 1.0 / std::max({1, early, late});
    for (int32_t u = begin; u < end; ++u) {
      const double *m = said_.data() + static_cast<size_t>(u - begin) * card;
      const bool told = forward ? !p.uses[u].last : !p.uses[u].first;
      for (int32_t c = 0; c < card; ++c) delta_[c] = (told ? share * unary[c] : 0.0) - m[c];
      add_to(p.cells.data() + p.uses[u].table, p.uses[u], card, delta_.data());
    }
    const double kept = std::max(0.0, 1.0 - share * (forward ? late : early));
    for (int32_t c = 0; c < card; ++c) unary[c] *= kept;
  }

  // The variable holds all that is known of it: move its maximum to the constant, test its values.
  void settle(Problem &p, int32_t v, double *unary, double bound, double threshold, Sweep &found) {
    const int32_t card = p.card[v];
    const double best = *std::max_element(unary, unary + card);
    double second = kNever;
    int32_t ties = 0;
    p.constant += best;
    for (int32_t c = 0; c < card; ++c) {
      unary[c] -= best;
      if (unary[c] < 0 || ties++) second = std::max(second, unary[c]);
      if (bound + unary[c] <= threshold) {
        found.alive[p.unary_at[v] + c] = 0;
        found.removed = true;
      }
    }
    found.margin[v] = -second;
  }
};
