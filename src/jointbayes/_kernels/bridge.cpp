// The best parents of each feature among the class variables, by BDeu over all small sets.
//
// Rows are bits. Two ways to the counts of a candidate, both a prefix of parents and one more:
//
// * Any parents (Partition): the prefix splits the rows into configurations, of which only the
//   occupied cells are kept; AND and popcount with each value of the new parent but the last,
//   which is what remains.
// * Binary parents (Moebius): only the rows in which all parents are 1 are counted; every other
//   cell follows by subtraction from the counts of subsets, which smaller candidates have left.
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

// lgamma(a + n) - lgamma(a) for n = 0 … N, where a is the sample size of one of so many cells.
struct GammaTables {
  GammaTables(int64_t n, double ess) : n_rows(n), ess(ess) {}

  const double *row(int64_t cells) {
    std::lock_guard<std::mutex> lock(mutex);
    auto [place, fresh] = tables.try_emplace(cells);
    if (fresh) {
      const double a = ess / static_cast<double>(cells), zero = log_gamma(a);
      place->second.resize(n_rows + 1);
      for (int64_t k = 0; k <= n_rows; ++k)
        place->second[k] = log_gamma(a + static_cast<double>(k)) - zero;
    }
    return place->second.data();
  }

  int64_t n_rows;
  double ess;
  std::mutex mutex;
  std::map<int64_t, std::vector<double>> tables;
};

JB_CLONES void and_popcount(const uint64_t *bits, int64_t rows, const uint64_t *mask, int64_t words,
                            int32_t *out) {
  for (int64_t i = 0; i < rows; ++i) {
    const uint64_t *b = bits + i * words;
    uint64_t total = 0;
    for (int64_t w = 0; w < words; ++w) total += __builtin_popcountll(b[w] & mask[w]);
    out[i] = static_cast<int32_t>(total);
  }
}

struct BitColumns {  // one bit row per column and value
  std::vector<uint64_t> bits;
  std::vector<int64_t> first;
  std::vector<int> cards;
  int64_t words;

  BitColumns(const uint8_t *codes, int64_t n, int64_t columns, const int64_t *card, int64_t words)
      : words(words) {
    first.push_back(0);
    for (int64_t j = 0; j < columns; ++j) {
      cards.push_back(static_cast<int>(card[j]));
      first.push_back(first.back() + card[j]);
    }
    bits.assign(first.back() * words, 0);
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t r = 0; r < n; ++r)
        if (const int v = codes[j * n + r]; v < cards[j])
          bits[(first[j] + v) * words + r / 64] |= uint64_t{1} << (r % 64);
  }
  const uint64_t *row(int64_t column, int value) const {
    return bits.data() + (first[column] + value) * words;
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

class Partition {
 public:
  Partition(const BitColumns &parents, const BitColumns &child, GammaTables &gammas)
      : parents_(parents), gammas_(gammas), r_(child.cards[0]), words_(parents.words) {
    root_.starts.push_back(0);
    for (int v = 0; v < r_; ++v) push_occupied(root_, child.row(0, v));
    root_.starts.push_back(static_cast<int32_t>(root_.counts.size()));
  }

  void search(int largest, Winners &winners) {
    levels_.assign(largest + 1, root_);
    if (largest > 0) descend(0, 0, 1, winners);
  }

  // Add the parent that helps most, while one helps.
  void grow(std::vector<int> &chosen, double &score, int limit) {
    Level level = root_, next;
    int64_t q = 1;
    for (int p : chosen) {
      split(level, p, next);
      std::swap(level, next);
      q *= parents_.cards[p];
    }
    while (static_cast<int>(chosen.size()) < limit) {
      int best = -1;
      double top = score;
      for (int p = 0; p < static_cast<int>(parents_.cards.size()); ++p) {
        if (std::find(chosen.begin(), chosen.end(), p) != chosen.end()) continue;
        const double s = score_with(level, p, q * parents_.cards[p]);
        if (s > top + kTie) top = s, best = p;
      }
      if (best < 0) return;
      split(level, best, next);
      std::swap(level, next);
      q *= parents_.cards[best];
      chosen.push_back(best);
      score = top;
    }
  }

  int64_t candidates = 0;

 private:
  struct Level {  // the occupied cells of one prefix: bits and counts by configuration and state
    std::vector<uint64_t> bits;
    std::vector<int32_t> counts;
    std::vector<int32_t> starts;  // cells of configuration j: starts[j] … starts[j + 1]
  };

  void push_occupied(Level &level, const uint64_t *bits) {
    int32_t count;
    and_popcount(bits, 1, bits, words_, &count);
    if (!count) return;
    level.bits.insert(level.bits.end(), bits, bits + words_);
    level.counts.push_back(count);
  }

  // Eq. (5) of the level's prefix and parent p, without building that level.
  double score_with(const Level &level, int p, int64_t q) {
    const double *cell = gammas_.row(q * r_), *config = gammas_.row(q);
    const int64_t cells = level.counts.size();
    const int k = parents_.cards[p];
    rest_ = level.counts;
    part_.resize(cells);
    double s = 0;
    for (int v = 0; v < k; ++v) {
      const int32_t *count = rest_.data();
      if (v + 1 < k) {
        and_popcount(level.bits.data(), cells, parents_.row(p, v), words_, part_.data());
        for (int64_t i = 0; i < cells; ++i) rest_[i] -= part_[i];
        count = part_.data();
      }
      for (size_t j = 0; j + 1 < level.starts.size(); ++j) {
        int64_t n = 0;
        for (int32_t i = level.starts[j]; i < level.starts[j + 1]; ++i) {
          n += count[i];
          s += cell[count[i]];
        }
        s -= config[n];
      }
    }
    ++candidates;
    return s;
  }

  void split(const Level &from, int p, Level &to) {
    to.bits.clear();
    to.counts.clear();
    to.starts.assign(1, 0);
    std::vector<uint64_t> cut(words_);
    for (size_t j = 0; j + 1 < from.starts.size(); ++j)
      for (int v = 0; v < parents_.cards[p]; ++v) {
        const uint64_t *value = parents_.row(p, v);
        for (int32_t i = from.starts[j]; i < from.starts[j + 1]; ++i) {
          const uint64_t *bits = from.bits.data() + i * words_;
          for (int64_t w = 0; w < words_; ++w) cut[w] = bits[w] & value[w];
          push_occupied(to, cut.data());
        }
        if (static_cast<int32_t>(to.counts.size()) > to.starts.back())
          to.starts.push_back(static_cast<int32_t>(to.counts.size()));
      }
  }

  void descend(int depth, int from, int64_t q, Winners &winners) {
    const int n = static_cast<int>(parents_.cards.size());
    for (int p = from; p < n; ++p) {
      const int64_t configs = q * parents_.cards[p];
      winners.offer(score_with(levels_[depth], p, configs), prefix_, p);
      if (depth + 2 < static_cast<int>(levels_.size()) && p + 1 < n) {
        split(levels_[depth], p, levels_[depth + 1]);
        prefix_.push_back(p);
        descend(depth + 1, p + 1, configs, winners);
        prefix_.pop_back();
      }
    }
  }

  const BitColumns &parents_;
  GammaTables &gammas_;
  int r_;
  int64_t words_;
  Level root_;
  std::vector<Level> levels_;
  std::vector<int> prefix_;
  std::vector<int32_t> rest_, part_;
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
  Moebius(const BitColumns &parents, const BitColumns &child, GammaTables &gammas, int largest)
      : parents_(parents), gammas_(gammas), r_(child.cards[0]), fours_((r_ + 3) / 4),
        n_(static_cast<int>(parents.cards.size())), largest_(largest), words_(parents.words),
        ones_(largest), bits_(largest), counts_(fours_ * 4) {
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
      cell_ = gammas_.row(2 * configs * r_);
      config_ = gammas_.row(2 * configs);
      extend(0, 0, size, winners);
    }
  }

  int64_t candidates = 0;

 private:
  int64_t choose(int p, int k) const { return choose_[p * (largest_ + 2) + k]; }

  void count(const uint64_t *bits, const uint64_t *mask, Four *out) {
    and_popcount(bits, r_, mask, words_, counts_.data());
    for (int i = 0; i < 4 * fours_; ++i) out[i / 4].v[i % 4] = counts_[i];
  }

  // Keep the rows of the prefix and p in which all parents are 1.
  void narrow(int depth, int p) {
    const uint64_t *one = parents_.row(p, 1), *from = bits_[depth].data();
    uint64_t *to = bits_[depth + 1].data();
    for (int x = 0; x < r_; ++x)
      for (int64_t w = 0; w < words_; ++w) to[x * words_ + w] = from[x * words_ + w] & one[w];
  }

  // Count all sets of one size, whose last member is the loop's.
  void fill(int depth, int from, int64_t rank, int size) {
    for (int p = from; p < n_; ++p) {
      const int64_t here = rank + choose(p, depth + 1);
      if (depth + 1 == size) {
        count(bits_[depth].data(), parents_.row(p, 1), &ones_[size][here * fours_]);
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
    count(bits_[size].data(), parents_.row(p, 1), &above_[(configs - 1) * fours_]);
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

  const BitColumns &parents_;
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

double score_alone(const BitColumns &child, GammaTables &gammas) {
  const double *cell = gammas.row(child.cards[0]);
  double s = 0;
  int64_t n = 0;
  for (int v = 0; v < child.cards[0]; ++v) {
    int32_t count;
    and_popcount(child.row(0, v), 1, child.row(0, v), child.words, &count);
    n += count;
    s += cell[count];
  }
  return s - gammas.row(1)[n];
}

nb::tuple best_parents(Columns<uint8_t> children, Vector<int64_t> child_cards,
                       Columns<uint8_t> parents, Vector<int64_t> parent_cards, double ess,
                       int exhaustive, int limit, int threads) {
  const int64_t n = children.shape(0), m = children.shape(1);
  const int64_t words = std::max<int64_t>(8, (n + 511) / 512 * 8);
  std::vector<int32_t> sets(m * limit, -1);
  std::vector<double> scores(m);
  std::vector<int64_t> candidates(m);
  {
    nb::gil_scoped_release release;
    const BitColumns labels(parents.data(), n, parents.shape(1), parent_cards.data(), words);
    const bool binary = std::all_of(labels.cards.begin(), labels.cards.end(), [](int k) { return k == 2; });
    GammaTables gammas(n, ess);
    parallel_for(m, threads, [&](int64_t i) {
      const BitColumns child(children.data() + i * n, n, 1, child_cards.data() + i, words);
      Winners winners(exhaustive);
      winners.scores[0] = score_alone(child, gammas);
      Partition partition(labels, child, gammas);
      Moebius moebius(labels, child, gammas, binary ? exhaustive : 0);
      binary ? moebius.search(winners) : partition.search(exhaustive, winners);
      const size_t size = winners.size();
      std::vector<int> chosen = winners.sets[size];
      scores[i] = winners.scores[size];
      if (static_cast<int>(size) == exhaustive) partition.grow(chosen, scores[i], limit);
      std::sort(chosen.begin(), chosen.end());
      std::copy(chosen.begin(), chosen.end(), sets.begin() + i * limit);
      candidates[i] = 1 + moebius.candidates + partition.candidates;
    });
  }
  const size_t rows = static_cast<size_t>(m);
  return nb::make_tuple(give(std::move(sets), {rows, static_cast<size_t>(limit)}),
                        give(std::move(scores), {rows}), give(std::move(candidates), {rows}));
}

}  // namespace

void bind_bridge(nb::module_ &m) { m.def("best_parents", &best_parents); }
