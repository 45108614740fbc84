// The best parents of each feature among the class variables, by BDeu over all small sets.
//
// What is known is the count of every feature value by distinct label vector. Two ways to the
// counts of a candidate, which is a prefix of parents and one more:
//
// * Any parents (Merge): the prefix gives every vector a configuration, the new parent splits it;
//   the counts of the vectors of one configuration are added up.
// * Few binary parents, whole counts (Moebius): counts are rows again, and rows are bits. Only the
//   rows in which all parents are 1 are counted; every other cell follows by subtraction from the
//   counts of subsets, which smaller candidates have left.
#include "parallel.hpp"

#include <cmath>
#include <map>
#include <mutex>

namespace {

constexpr double kTie = 1e-9;  // BDeu is score-equivalent: exact ties differ by rounding

double log_gamma(double x) {
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
  const uint8_t *vectors;  // column-major
  const double *rows;      // of each vector
  int64_t n_vectors;
  std::vector<int> cards;
  const uint8_t *column(int p) const { return vectors + p * n_vectors; }
};

struct Child {  // counts by vector and state
  const double *counts;
  int64_t stride;
  int states;
  const double *of(int64_t vector) const { return counts + vector * stride; }
};

// The bits of each row that are also in the mask, counted with the machine's best instructions.
using AndPopcount = void (*)(const uint64_t *bits, int64_t rows, const uint64_t *mask, int64_t words,
                             int32_t *out);

__attribute__((always_inline)) inline void and_popcount_rows(const uint64_t *bits, int64_t rows,
                                                             const uint64_t *mask, int64_t words,
                                                             int32_t *out) {
  for (int64_t i = 0; i < rows; ++i) {
    const uint64_t *b = bits + i * words;
    uint64_t total = 0;
    for (int64_t w = 0; w < words; ++w) total += __builtin_popcountll(b[w] & mask[w]);
    out[i] = static_cast<int32_t>(total);
  }
}
void and_popcount_portable(const uint64_t *bits, int64_t rows, const uint64_t *mask, int64_t words,
                           int32_t *out) {
  and_popcount_rows(bits, rows, mask, words, out);
}
#ifdef JB_X86
JB_POPCNT void and_popcount_popcnt(const uint64_t *bits, int64_t rows, const uint64_t *mask,
                                   int64_t words, int32_t *out) {
  and_popcount_rows(bits, rows, mask, words, out);
}
JB_AVX512 void and_popcount_avx512(const uint64_t *bits, int64_t rows, const uint64_t *mask,
                                   int64_t words, int32_t *out) {
  and_popcount_rows(bits, rows, mask, words, out);
}
#endif

AndPopcount best_and_popcount() {
#ifdef JB_X86
  if (instructions() == Instructions::avx512) return and_popcount_avx512;
  if (instructions() == Instructions::popcnt) return and_popcount_popcnt;
#endif
  return and_popcount_portable;
}

// Whole counts as rows again, vector by vector; a bit per row.
struct BitRows {
  std::vector<uint64_t> bits;
  int64_t words;

  BitRows(int64_t rows, double n) : words(std::max<int64_t>(8, (int64_t(n) + 511) / 512 * 8)) {
    bits.assign(rows * words, 0);
  }
  void set(int64_t row, int64_t from, int64_t to) {
    for (int64_t i = from; i < to; ++i) bits[row * words + i / 64] |= uint64_t{1} << (i % 64);
  }
  const uint64_t *row(int64_t i) const { return bits.data() + i * words; }

  static BitRows of_parents(const Known &known, double n) {
    BitRows out(known.cards.size(), n);
    for (size_t p = 0; p < known.cards.size(); ++p) {
      int64_t at = 0;
      for (int64_t u = 0; u < known.n_vectors; at += int64_t(known.rows[u++]))
        if (known.column(p)[u]) out.set(p, at, at + int64_t(known.rows[u]));
    }
    return out;
  }
  static BitRows of_child(const Known &known, const Child &child, double n) {
    BitRows out(child.states, n);
    int64_t begin = 0;
    for (int64_t u = 0; u < known.n_vectors; begin += int64_t(known.rows[u++])) {
      int64_t at = begin;
      for (int x = 0; x < child.states; at += int64_t(child.of(u)[x++]))
        out.set(x, at, at + int64_t(child.of(u)[x]));
    }
    return out;
  }
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
    const uint8_t *value = known_.column(p);
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

struct alignas(16) Four {  // the counts of four states of the child
  int32_t v[4] = {0, 0, 0, 0};
  Four &operator-=(const Four &other) {
    for (int x = 0; x < 4; ++x) v[x] -= other.v[x];
    return *this;
  }
};

// Subsets of {0 … n-1} of one size, ranked colexicographically: the rank of T and a larger p is
// that of T plus C(p, |T| + 1).
class Moebius {
 public:
  Moebius(const BitRows &parents, const BitRows &child, int states, int n, GammaTables &gammas,
          int largest)
      : parents_(parents), gammas_(gammas), r_(states), fours_((states + 3) / 4), n_(n),
        largest_(largest), words_(parents.words), ones_(largest), bits_(largest),
        counts_(fours_ * 4) {
    choose_.assign((n_ + 1) * (largest + 2), 0);
    for (int p = 0; p <= n_; ++p) {
      choose_[p * (largest + 2)] = 1;
      for (int k = 1; k <= std::min(p, largest + 1); ++k)
        choose_[p * (largest + 2) + k] = choose(p - 1, k - 1) + (k < p ? choose(p - 1, k) : 0);
    }
    for (auto &level : bits_) level.resize(r_ * words_);
    if (largest > 0) std::copy(child.bits.begin(), child.bits.end(), bits_[0].begin());
  }

  void search(Winners &winners) {
    for (int size = 0; size < largest_; ++size) {  // of the prefix
      ones_[size].assign(choose(n_, size) * fours_, Four{});
      if (size == 0) {
        std::vector<uint64_t> all(words_, ~uint64_t{0});
        count(bits_[0].data(), all.data(), ones_[0].data());
      } else {
        fill(0, 0, 0, size);
      }
      const int64_t configs = int64_t{1} << size;
      below_.assign(configs * fours_, Four{});
      above_.assign(configs * fours_, Four{});
      totals_.assign(configs, 0);
      cell_ = gammas_.rising(2 * configs * r_).table;
      config_ = gammas_.rising(2 * configs).table;
      extend(0, 0, size, winners);
    }
  }

  int64_t candidates = 0;

 private:
  int64_t choose(int p, int k) const { return choose_[p * (largest_ + 2) + k]; }

  void count(const uint64_t *bits, const uint64_t *mask, Four *out) {
    and_popcount_(bits, r_, mask, words_, counts_.data());
    for (int i = 0; i < 4 * fours_; ++i) out[i / 4].v[i % 4] = counts_[i];
  }

  // Keep the rows of the prefix and p in which all parents are 1.
  void narrow(int depth, int p) {
    const uint64_t *one = parents_.row(p), *from = bits_[depth].data();
    uint64_t *to = bits_[depth + 1].data();
    for (int x = 0; x < r_; ++x)
      for (int64_t w = 0; w < words_; ++w) to[x * words_ + w] = from[x * words_ + w] & one[w];
  }

  // Count all sets of one size, whose last member is the loop's.
  void fill(int depth, int from, int64_t rank, int size) {
    for (int p = from; p < n_; ++p) {
      const int64_t here = rank + choose(p, depth + 1);
      if (depth + 1 == size) {
        count(bits_[depth].data(), parents_.row(p), &ones_[size][here * fours_]);
      } else {
        narrow(depth, p);
        fill(depth + 1, p + 1, here, size);
      }
    }
  }

  void extend(int depth, int from, int size, Winners &winners) {
    if (depth == size) return leaves(from, size, winners);
    for (int p = from; p < n_; ++p) {
      if (p + 1 >= n_) return;  // a larger parent has to follow
      narrow(depth, p);
      prefix_.push_back(p);
      extend(depth + 1, p + 1, size, winners);
      prefix_.pop_back();
    }
  }

  void subtract(std::vector<Four> &f, int size) {
    for (int b = 0; b < size; ++b)
      for (int64_t j = 0; j < int64_t{1} << size; ++j)
        if (!(j >> b & 1))
          for (int k = 0; k < fours_; ++k) f[j * fours_ + k] -= f[(j | int64_t{1} << b) * fours_ + k];
  }

  // All candidates of one prefix: Eq. (5) from the counts with and without the last parent.
  void leaves(int from, int size, Winners &winners) {
    const int64_t configs = int64_t{1} << size;
    ranks_.assign(configs, 0);
    sizes_.assign(configs, 0);
    for (int64_t j = 0; j < configs; ++j) {
      for (int b = 0; b < size; ++b)
        if (j >> b & 1) ranks_[j] += choose(prefix_[b], ++sizes_[j]);
      const Four *from_set = &ones_[sizes_[j]][ranks_[j] * fours_];
      std::copy(from_set, from_set + fours_, &below_[j * fours_]);
    }
    subtract(below_, size);
    for (int64_t j = 0; j < configs; ++j) totals_[j] = sum(&below_[j * fours_]);
    for (int p = from; p < n_; ++p) winners.offer(score_with(p, size), prefix_, p);
    candidates += n_ - from;
  }

  int64_t sum(const Four *f) const {
    int64_t total = 0;
    for (int k = 0; k < fours_; ++k) total += int64_t{f[k].v[0]} + f[k].v[1] + f[k].v[2] + f[k].v[3];
    return total;
  }

  double score_with(int p, int size) {
    const int64_t configs = int64_t{1} << size;
    for (int64_t j = 0; j + 1 < configs; ++j) {
      const int64_t rank = ranks_[j] + choose(p, sizes_[j] + 1);
      const Four *from_set = &ones_[sizes_[j] + 1][rank * fours_];
      std::copy(from_set, from_set + fours_, &above_[j * fours_]);
    }
    count(bits_[size].data(), parents_.row(p), &above_[(configs - 1) * fours_]);
    subtract(above_, size);
    double s[4] = {0, 0, 0, 0};
    for (int64_t j = 0; j < configs; ++j) {
      for (int k = 0; k < fours_; ++k) {
        const Four &with = above_[j * fours_ + k];
        Four without = below_[j * fours_ + k];
        without -= with;
        for (int x = 0; x < 4; ++x) s[x] += cell_[with.v[x]] + cell_[without.v[x]];
      }
      const int64_t n = sum(&above_[j * fours_]);
      s[0] -= config_[n] + config_[totals_[j] - n];
    }
    return s[0] + s[1] + s[2] + s[3];
  }

  const AndPopcount and_popcount_ = best_and_popcount();
  const BitRows &parents_;
  GammaTables &gammas_;
  int r_, fours_, n_, largest_;
  int64_t words_;
  std::vector<std::vector<Four>> ones_;  // by size and rank: rows in which all parents are 1
  std::vector<std::vector<uint64_t>> bits_;
  std::vector<int32_t> counts_;
  std::vector<int64_t> choose_, ranks_, totals_;
  std::vector<int> prefix_, sizes_;
  std::vector<Four> below_, above_;
  const double *cell_ = nullptr, *config_ = nullptr;
};

// Up to this many parents the subtraction over their configurations is cheaper than adding up.
constexpr int kFewParents = 5;

nb::tuple best_parents(Columns<uint8_t> vectors, Vector<int64_t> cards, Vector<double> rows,
                       Rows<double> counts, Vector<int64_t> offsets, double ess, int exhaustive,
                       int limit, int threads) {
  const int64_t n_vectors = vectors.shape(0), m = offsets.shape(0) - 1;
  std::vector<int32_t> sets(m * limit, -1);
  std::vector<double> scores(m);
  std::vector<int64_t> candidates(m);
  {
    nb::gil_scoped_release release;
    const Known known{vectors.data(), rows.data(), n_vectors, {cards.data(), cards.data() + vectors.shape(1)}};
    auto whole = [](double x) { return x == std::floor(x); };
    const bool exact = std::all_of(rows.data(), rows.data() + n_vectors, whole) &&
                       std::all_of(counts.data(), counts.data() + counts.size(), whole);
    const bool binary = std::all_of(known.cards.begin(), known.cards.end(), [](int k) { return k == 2; });
    double n = 0;
    for (int64_t u = 0; u < n_vectors; ++u) n += rows(u);
    const int few = exact && binary ? std::min(exhaustive, kFewParents) : 0;
    GammaTables gammas(n, ess, exact);
    const BitRows labels = few ? BitRows::of_parents(known, n) : BitRows(0, 0);
    parallel_for(m, threads, [&](int64_t i) {
      const Child child{counts.data() + offsets(i), static_cast<int64_t>(counts.shape(1)),
                        static_cast<int>(offsets(i + 1) - offsets(i))};
      Winners winners(exhaustive);
      Merge merge(known, child, gammas);
      winners.scores[0] = merge.score_alone();
      if (few) {
        Moebius moebius(labels, BitRows::of_child(known, child, n), child.states,
                        static_cast<int>(known.cards.size()), gammas, few);
        moebius.search(winners);
        candidates[i] += moebius.candidates;
      }
      merge.search(few, exhaustive, winners);
      const size_t size = winners.size();
      std::vector<int> chosen = winners.sets[size];
      scores[i] = winners.scores[size];
      if (static_cast<int>(size) == exhaustive) merge.grow(chosen, scores[i], limit);
      std::sort(chosen.begin(), chosen.end());
      std::copy(chosen.begin(), chosen.end(), sets.begin() + i * limit);
      candidates[i] += 1 + merge.candidates;
    });
  }
  const size_t answers = static_cast<size_t>(m);
  return nb::make_tuple(give(std::move(sets), {answers, static_cast<size_t>(limit)}),
                        give(std::move(scores), {answers}), give(std::move(candidates), {answers}));
}

}  // namespace

void bind_bridge(nb::module_ &m) { define(m, "best_parents", best_parents); }
