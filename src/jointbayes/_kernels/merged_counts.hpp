// Candidates of any parents: the prefix gives every vector a configuration, the new parent splits it;
// the counts of the vectors of one configuration are added up.
#pragma once
#include "parent_scores.hpp"

class Merge {
 public:
  Merge(const Known &known, const Child &child, GammaTables &gammas)
      : known_(known), child_(child), gammas_(gammas) {}

  double score_alone() {
    std::vector<double> total(child_.states, 0.0);
    for (int64_t u = 0; u < known_.n_vectors; ++u)
      for (int x = 0; x < child_.states; ++x) total[x] += child_.of(u)[x];
    return score(total, 1);
  }

  // All sets of more than `after` and at most `largest` parents.
  void search(int after, int largest, Winners &winners) {
    Level root{std::vector<int32_t>(known_.n_vectors, 0), 1};
    levels_.assign(largest + 1, root);
    if (largest > after) descend(0, 0, 1, after, largest, winners);
  }

  // Add the parent that helps most, while one helps.
  void grow(std::vector<int> &chosen, double &top, int limit) {
    Level level{std::vector<int32_t>(known_.n_vectors, 0), 1};
    int64_t q = 1;
    auto take = [&](int p) { level = split(level, p), q *= known_.cards[p]; };
    for (int p : chosen) take(p);
    while (static_cast<int>(chosen.size()) < limit) {
      int best = -1;
      double better = top;
      for (int p = 0; p < static_cast<int>(known_.cards.size()); ++p) {
        if (std::find(chosen.begin(), chosen.end(), p) != chosen.end()) continue;
        const double s = score_with(level, p, q * known_.cards[p]);
        if (s > better + kTie) better = s, best = p;
      }
      if (best < 0) return;
      take(best);
      chosen.push_back(best);
      top = better;
    }
  }

  int64_t candidates = 0;

 private:
  struct Level {  // the occupied configurations of a prefix, numbered, and that of each vector
    std::vector<int32_t> configuration;
    int32_t occupied;
  };

  double score(const std::vector<double> &cells, int64_t q) {  // Eq. (5)
    const Rising cell = gammas_.rising(q * child_.states), config = gammas_.rising(q);
    double s = 0;
    for (size_t j = 0; j < cells.size(); j += child_.states) {
      double n = 0;
      for (int x = 0; x < child_.states; ++x)
        if (const double k = cells[j + x]; k > 0) n += k, s += cell(k);
      if (n > 0) s -= config(n);
    }
    return s;
  }

  double score_with(const Level &level, int p, int64_t q) {
    const int k = known_.cards[p], r = child_.states;
    const uint32_t *value = known_.column(p);
    cells_.assign(static_cast<size_t>(level.occupied) * k * r, 0.0);
    for (int64_t u = 0; u < known_.n_vectors; ++u) {
      double *to = cells_.data() + (int64_t{level.configuration[u]} * k + value[u]) * r;
      const double *n = child_.of(u);
      for (int x = 0; x < r; ++x) to[x] += n[x];
    }
    ++candidates;
    return score(cells_, q);
  }

  Level split(const Level &from, int p) {
    const int k = known_.cards[p];
    std::vector<int32_t> number(static_cast<size_t>(from.occupied) * k, -1);
    Level to{std::vector<int32_t>(known_.n_vectors), 0};
    for (int64_t u = 0; u < known_.n_vectors; ++u) {
      int32_t &id = number[int64_t{from.configuration[u]} * k + known_.column(p)[u]];
      if (id < 0) id = to.occupied++;
      to.configuration[u] = id;
    }
    return to;
  }

  void descend(int depth, int from, int64_t q, int after, int largest, Winners &winners) {
    const int n = static_cast<int>(known_.cards.size());
    for (int p = from; p < n; ++p) {
      const int64_t configs = q * known_.cards[p];
      if (depth + 1 > after) winners.offer(score_with(levels_[depth], p, configs), prefix_, p);
      if (depth + 1 < largest && p + 1 < n) {
        levels_[depth + 1] = split(levels_[depth], p);
        prefix_.push_back(p);
        descend(depth + 1, p + 1, configs, after, largest, winners);
        prefix_.pop_back();
      }
    }
  }

  const Known &known_;
  const Child &child_;
  GammaTables &gammas_;
  std::vector<Level> levels_;
  std::vector<int> prefix_;
  std::vector<double> cells_;
};
