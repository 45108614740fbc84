// Most subsets of the parents, whole counts: from the label vectors down to nothing, one parent is
// kept or dropped after the other. Dropping one adds the counts of vectors that no longer differ,
// for several features at once, so a subset costs as much as it has configurations.
//
// Few subsets have to be scored. A state that comes up in a configuration for the first time has
// BDeu's predictive probability b / (a + rows before it), which is 1/r or at most b / (a + 1); no
// other factor exceeds 1. So with c configurations and k pairs of them and a state that occur,
//
//     BDeu ≤ −c log r − (k − c) log((1 + a) / b),
//
// and configurations and pairs are counted many times faster than their scores are added up.
#pragma once
#include <bit>

#include "parent_scores.hpp"

constexpr int kAtOnce = 16;        // counts that are added at once
constexpr double kClearly = 1e-6;  // more than rounding, and than a tie

// Configurations that occur: their codes, and where their counts are.
template <class Count> struct Configurations {
  std::vector<uint64_t> keys;
  std::vector<const Count *> counts;
  std::vector<Count> sums;  // counts that were added up on the way here
  size_t size = 0;

  Configurations(size_t most, int lanes) : keys(most), counts(most), sums(most / 2 * lanes) {}
};

template <class Count>
__attribute__((always_inline)) inline void add_up(const Configurations<Count> &from, uint64_t kept,
                                                  int lanes, Configurations<Count> &to) {
  Count *sum = to.sums.data();
  to.size = 0;
  for (size_t i = 0; i < from.size;) {
    const uint64_t key = from.keys[i] & kept;
    to.keys[to.size] = key;
    to.counts[to.size] = from.counts[i];
    if (++i < from.size && (from.keys[i] & kept) == key) {
      const Count *first = from.counts[i - 1], *second = from.counts[i];
      for (int l = 0; l < lanes; ++l) sum[l] = first[l] + second[l];
      while (++i < from.size && (from.keys[i] & kept) == key)
        for (int l = 0; l < lanes; ++l) sum[l] += from.counts[i][l];
      to.counts[to.size] = sum;
      sum += lanes;
    }
    ++to.size;
  }
}

// How many configurations have each state.
template <class Count>
__attribute__((always_inline)) inline void count_occurring(const Configurations<Count> &all,
                                                           int lanes, Count *out) {
  for (int first = 0; first < lanes; first += kAtOnce) {
    Count found[kAtOnce] = {};
    for (size_t i = 0; i < all.size; ++i)
      for (int l = 0; l < kAtOnce; ++l) found[l] += all.counts[i][first + l] != 0;
    std::copy(found, found + kAtOnce, out + first);
  }
}

using Short = Configurations<uint16_t>;
using Long = Configurations<int32_t>;
JB_CLONES static void drop(const Short &from, uint64_t kept, int lanes, Short &to) {
  add_up(from, kept, lanes, to);
}
JB_CLONES static void drop(const Long &from, uint64_t kept, int lanes, Long &to) {
  add_up(from, kept, lanes, to);
}
JB_CLONES static void occurring(const Short &all, int lanes, uint16_t *out) {
  count_occurring(all, lanes, out);
}
JB_CLONES static void occurring(const Long &all, int lanes, int32_t *out) {
  count_occurring(all, lanes, out);
}

// A subset that may be the best: parent p is bit d − 1 − p, so that earlier sets are larger numbers.
struct Candidate {
  uint64_t set;
  double score;
};

// What is searched for some features, and the counts it starts from.
template <class Count> struct Search {
  Search(const Known &known, std::vector<Child> children, int after, int largest)
      : known(known), children(std::move(children)), after(after), largest(largest) {
    int bits = 0;
    for (int card : known.cards) {
      shifts.push_back(bits);
      bits += std::bit_width(static_cast<unsigned>(card - 1));
    }
    shifts.push_back(bits);
    for (const Child &child : this->children) starts.push_back(lanes), lanes += child.states;
    lanes = (lanes + kAtOnce - 1) / kAtOnce * kAtOnce;
    const size_t n = known.n_vectors;
    std::vector<uint64_t> key(n, 0);
    for (size_t p = 0; p < known.cards.size(); ++p)
      for (size_t u = 0; u < n; ++u) key[u] |= uint64_t{known.column(p)[u]} << shifts[p];
    std::vector<size_t> order(n);
    for (size_t u = 0; u < n; ++u) order[u] = u;
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key[a] < key[b]; });
    counts.assign(n * lanes, 0);
    for (size_t i = 0; i < n; ++i) {
      keys.push_back(key[order[i]]);
      for (size_t c = 0; c < this->children.size(); ++c)
        for (int x = 0; x < this->children[c].states; ++x)
          counts[i * lanes + starts[c] + x] = static_cast<Count>(this->children[c].of(order[i])[x]);
    }
  }
  static bool fits(const Known &known) {
    int bits = 0;
    for (int card : known.cards) bits += std::bit_width(static_cast<unsigned>(card - 1));
    return bits < 64;
  }
  uint64_t field(int p) const { return (uint64_t{1} << shifts[p + 1]) - (uint64_t{1} << shifts[p]); }

  const Known &known;
  const std::vector<Child> children;
  const int after, largest;      // subsets of more than `after` parents, and at most `largest`
  std::vector<int> shifts;       // where the code of each parent begins in a key
  std::vector<int> starts;       // where the counts of each feature begin
  int lanes = 0;
  std::vector<uint64_t> keys;    // in order, the first parent counting least
  std::vector<Count> counts;
};

// One part of the search: what becomes of the first `decided` parents is said by bits of `part`.
template <class Count> class SubsetTree {
 public:
  SubsetTree(const Search<Count> &search, GammaTables &gammas, std::vector<double> best)
      : found(search.children.size()), s_(search), d_(static_cast<int>(search.known.cards.size())),
        gammas_(gammas), best_(std::move(best)), occurring_(search.lanes) {
    levels_.assign(d_ + 1, Configurations<Count>(search.keys.size(), search.lanes));
    levels_[0].keys = search.keys;
    levels_[0].size = search.keys.size();
    for (size_t i = 0; i < search.keys.size(); ++i)
      levels_[0].counts[i] = search.counts.data() + i * search.lanes;
  }

  void run(uint64_t part, int decided) {
    part_ = part, decided_ = decided;
    visit(0, 0, 0, 1);
  }

  std::vector<std::vector<Candidate>> found;  // of each feature
  int64_t subsets = 0;

 private:
  void visit(int p, uint64_t set, int size, int64_t q) {
    if (size + d_ - p <= s_.after) return;
    if (p == d_) return leaf(levels_[p], set, size, q);
    const bool either = p >= decided_, kept = part_ >> p & 1;
    if (size < s_.largest && (either || kept)) {
      const uint64_t with = set | uint64_t{1} << (d_ - 1 - p);
      const int64_t configurations = q * s_.known.cards[p];
      if (p + 1 == d_) {
        leaf(levels_[p], with, size + 1, configurations);
      } else {
        keep(p);
        visit(p + 1, with, size + 1, configurations);
      }
    }
    if (either || !kept) {
      drop(levels_[p], ~s_.field(p), s_.lanes, levels_[p + 1]);
      visit(p + 1, set, size, q);
    }
  }

  // Order by the value of a parent first, so that the next one counts least.
  void keep(int p) {
    const auto &from = levels_[p];
    auto &to = levels_[p + 1];
    const uint64_t field = s_.field(p);
    place_.assign(s_.known.cards[p] + 1, 0);
    for (size_t i = 0; i < from.size; ++i) ++place_[((from.keys[i] & field) >> s_.shifts[p]) + 1];
    for (size_t v = 1; v < place_.size(); ++v) place_[v] += place_[v - 1];
    for (size_t i = 0; i < from.size; ++i) {
      const size_t at = place_[(from.keys[i] & field) >> s_.shifts[p]]++;
      to.keys[at] = from.keys[i];
      to.counts[at] = from.counts[i];
    }
    to.size = from.size;
  }

  void leaf(const Configurations<Count> &all, uint64_t set, int size, int64_t q) {
    if (size <= s_.after) return;
    ++subsets;
    occurring(all, s_.lanes, occurring_.data());
    for (size_t c = 0; c < found.size(); ++c) {
      const int r = s_.children[c].states;
      const double a = gammas_.ess / static_cast<double>(q), configurations = double(all.size);
      double pairs = 0;
      for (int x = 0; x < r; ++x) pairs += static_cast<double>(occurring_[s_.starts[c] + x]);
      const double bound = -std::min(configurations, pairs) * std::log(r) -
                           std::max(pairs - configurations, 0.0) * std::log((1 + a) / a * r);
      if (bound < best_[c] - kClearly) continue;
      const double score = bdeu(all, c, q);
      if (score < best_[c] - kClearly) continue;
      best_[c] = std::max(best_[c], score);
      found[c].push_back({set, score});
    }
  }

  double bdeu(const Configurations<Count> &all, size_t c, int64_t q) {  // Eq. (5)
    const int r = s_.children[c].states;
    const Rising cell = gammas_.rising(q * r), config = gammas_.rising(q);
    double score = 0;
    for (size_t i = 0; i < all.size; ++i) {
      const Count *counts = all.counts[i] + s_.starts[c];
      int64_t n = 0;
      for (int x = 0; x < r; ++x) n += counts[x], score += cell.table[counts[x]];
      score -= config.table[n];
    }
    return score;
  }

  const Search<Count> &s_;
  const int d_;
  GammaTables &gammas_;
  std::vector<double> best_;  // of each feature, so far
  std::vector<Count> occurring_;
  std::vector<Configurations<Count>> levels_;
  std::vector<size_t> place_;
  uint64_t part_ = 0;
  int decided_ = 0;
};
