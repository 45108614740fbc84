// Candidates of few binary parents, whole counts: counts are rows again, and rows are bits. Only the
// rows in which all parents are 1 are counted; every other cell follows by subtraction from the
// counts of subsets, which smaller candidates have left.
#pragma once
#include "parent_scores.hpp"

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
inline void and_popcount_portable(const uint64_t *bits, int64_t rows, const uint64_t *mask, int64_t words,
                           int32_t *out) {
  and_popcount_rows(bits, rows, mask, words, out);
}
#ifdef JB_X86
JB_POPCNT inline void and_popcount_popcnt(const uint64_t *bits, int64_t rows, const uint64_t *mask,
                                   int64_t words, int32_t *out) {
  and_popcount_rows(bits, rows, mask, words, out);
}
JB_AVX512 inline void and_popcount_avx512(const uint64_t *bits, int64_t rows, const uint64_t *mask,
                                   int64_t words, int32_t *out) {
  and_popcount_rows(bits, rows, mask, words, out);
}
#endif

inline AndPopcount best_and_popcount() {
#ifdef JB_X86
  if (instructions() == Instructions::avx512) return and_popcount_avx512;
  if (instructions() == Instructions::popcnt) return and_popcount_popcnt;
#endif
  return and_popcount_portable;
}

// Whole counts as rows again, vector by vector; a bit per row.
struct RowBits {
  std::vector<uint64_t> bits;
  int64_t words;

  RowBits(int64_t rows, double n) : words(std::max<int64_t>(8, (int64_t(n) + 511) / 512 * 8)) {
    bits.assign(rows * words, 0);
  }
  void set(int64_t row, int64_t from, int64_t to) {
    for (int64_t i = from; i < to; ++i) bits[row * words + i / 64] |= uint64_t{1} << (i % 64);
  }
  const uint64_t *row(int64_t i) const { return bits.data() + i * words; }

  static RowBits of_parents(const Known &known, double n) {
    RowBits out(known.cards.size(), n);
    for (size_t p = 0; p < known.cards.size(); ++p) {
      int64_t at = 0;
      for (int64_t u = 0; u < known.n_vectors; at += int64_t(known.rows[u++]))
        if (known.column(p)[u]) out.set(p, at, at + int64_t(known.rows[u]));
    }
    return out;
  }
  static RowBits of_child(const Known &known, const Child &child, double n) {
    RowBits out(child.states, n);
    int64_t begin = 0;
    for (int64_t u = 0; u < known.n_vectors; begin += int64_t(known.rows[u++])) {
      int64_t at = begin;
      for (int x = 0; x < child.states; at += int64_t(child.of(u)[x++]))
        out.set(x, at, at + int64_t(child.of(u)[x]));
    }
    return out;
  }
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
  Moebius(const RowBits &parents, const RowBits &child, int states, int n, GammaTables &gammas,
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

  // Memory that a search needs: a bit per row and state for each prefix, and counts of all sets.
  static double bytes(int64_t rows, int states, int n, int largest) {
    double sets = 0, of_size = 1;
    for (int size = 0; size < largest; of_size *= double(n - size) / (size + 1), ++size)
      sets += of_size;
    return double(states) * (double(rows) / 8 * (largest + 1) + 4 * sets);
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
  const RowBits &parents_;
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
