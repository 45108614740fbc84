// A tighter bound where single variables leave a gap: factors that share two variables are made to
// say the same of both together.
//
// Tables t_1 … t_n over a common pair bound the best vector by Σ_i max m_i, where m_i(a, b) is the
// maximum of t_i at those values. Giving each of them the mean of all m_i in place of its own leaves
// their sum as it is and lowers that bound to max Σ_i m_i.
#pragma once
#include <algorithm>
#include <numeric>

#include "bounds.hpp"

// Two variables of a factor, and how its table lies there: `outer` blocks of card × `middle` blocks
// of card × `inner`.
struct Pair {
  int32_t first, second;
  int32_t table, outer, middle, inner;
};

class Agreement {
 public:
  // Find the pairs that factors share; return whether there are any.
  bool index(const Problem &p) {
    const int32_t d = p.size();
    found_.clear();
    ends_.assign(static_cast<size_t>(d) * d + 1, 0);
    for (const Factor &f : p.factors) {
      for (int32_t i = 0, outer = 1; i < f.arity; ++i) {
        const int32_t a = p.scopes[f.scope + i];
        int32_t inner = f.size / (outer * p.card[a]), middle = 1;
        for (int32_t j = i + 1; j < f.arity; ++j) {
          const int32_t b = p.scopes[f.scope + j];
          inner /= p.card[b];
          found_.push_back({a, b, f.table, outer, middle, inner});
          ++ends_[a * d + b + 1];
          middle *= p.card[b];
        }
        outer *= p.card[a];
      }
    }
    // Those of the same variables side by side: ends_ goes from where they begin to where they end.
    std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
    pairs_.resize(found_.size());
    for (const Pair &pair : found_) pairs_[ends_[pair.first * d + pair.second]++] = pair;
    groups_.clear();
    for (size_t begin = 0, end = 0; begin < pairs_.size(); begin = end) {
      end = ends_[pairs_[begin].first * d + pairs_[begin].second];
      if (end - begin > 1) groups_.emplace_back(begin, end);
    }
    return !groups_.empty();
  }

  void run(Problem &p) {
    for (const auto &[begin, end] : groups_) average(p, begin, end);
  }

 private:
  std::vector<Pair> pairs_, found_;
  Ints ends_;
  std::vector<std::pair<size_t, size_t>> groups_;  // those over the same variables
  Doubles said_, mean_;

  void average(Problem &p, size_t begin, size_t end) {
    const size_t n = end - begin, size = p.card[pairs_[begin].first] * p.card[pairs_[begin].second];
    said_.assign(n * size, kNever);
    mean_.assign(size, 0.0);
    for (size_t i = 0; i < n; ++i) {
      double *m = said_.data() + i * size;
      each_row(p, pairs_[begin + i], [&](const double *row, int32_t count, size_t cell) {
        m[cell] = std::max(m[cell], *std::max_element(row, row + count));
      });
      for (size_t c = 0; c < size; ++c) mean_[c] += m[c] / n;
    }
    for (size_t i = 0; i < n; ++i) {
      const double *m = said_.data() + i * size;
      each_row(p, pairs_[begin + i], [&](double *row, int32_t count, size_t cell) {
        for (int32_t j = 0; j < count; ++j) row[j] += mean_[cell] - m[cell];
      });
    }
  }

  // Call with the cells of every row of a table along which both variables stay as they are.
  template <class Call>
  static void each_row(Problem &p, const Pair &pair, Call call) {
    double *row = p.cells.data() + pair.table;
    const int32_t a = p.card[pair.first], b = p.card[pair.second];
    for (int32_t o = 0; o < pair.outer; ++o)
      for (int32_t c = 0; c < a; ++c)
        for (int32_t k = 0; k < pair.middle; ++k)
          for (int32_t d = 0; d < b; ++d, row += pair.inner) call(row, pair.inner, c * b + d);
  }
};
