// Where to cut a histogram by class (Fayyad & Irani), and the codes of numbers between cuts.
// cuts.py beside this file says what each function returns.
#include <bit>
#include <cmath>
#include <limits>

#include "parallel.hpp"

namespace {

constexpr double kTie = 1e-10;
using Floats = Vector<double>;

double xlogx(double n) { return n > 0 ? n * std::log2(n) : 0.0; }

struct Entropy {
  double n = 0, h = 0, k = 0;  // rows, bits per row, classes present

  explicit Entropy(const std::vector<double> &n_c) {
    double sum = 0;
    for (double w : n_c) n += w, sum += xlogx(w), k += w > 0;
    h = (xlogx(n) - sum) / n;
  }
};

// n and n log2 n of one class on one side of a cut.
struct Term {
  double n = 0, g = 0;
};

// n log2 n: looked up where all weights are whole and it is asked for often enough.
struct XLogX {
  std::vector<double> table;

  explicit XLogX(const std::vector<double> &counts) {
    double total = 0;
    bool whole = true;
    for (double w : counts) total += w, whole &= w == std::floor(w);
    if (!whole || total > 8.0 * static_cast<double>(counts.size())) return;
    for (double n = 0; n <= total; ++n) table.push_back(xlogx(n));
  }
  double operator()(double n) const {
    return table.empty() ? xlogx(n) : table[static_cast<size_t>(n)];
  }
  double move(Term &term, double w) const {  // by how much the term changes
    term.n += w;
    const double before = std::exchange(term.g, (*this)(term.n));
    return term.g - before;
  }
};

// The recursion of Fayyad & Irani. Neighbouring values of one and the same class are one block:
// the best cut is never inside (their Theorem 1).
struct Mdl {
  std::vector<int64_t> starts{0}, last;  // a block's first entry; the position of its last value
  std::vector<int32_t> classes;
  std::vector<double> counts;
  std::vector<double> whole, lower, upper, inside;
  std::vector<Term> left, right;

  Mdl(const int64_t *indptr, int64_t m, const int32_t *c, const double *w, int64_t n_classes)
      : whole(n_classes), lower(n_classes), upper(n_classes), left(n_classes), right(n_classes) {
    for (int64_t i = 0; i < m; ++i) {
      const bool pure = indptr[i + 1] - indptr[i] == 1;
      const size_t b = last.size();
      if (pure && b && starts[b] - starts[b - 1] == 1 && classes.back() == c[indptr[i]]) {
        counts.back() += w[indptr[i]];
        last.back() = i;
        continue;
      }
      classes.insert(classes.end(), c + indptr[i], c + indptr[i + 1]);
      counts.insert(counts.end(), w + indptr[i], w + indptr[i + 1]);
      starts.push_back(static_cast<int64_t>(counts.size()));
      last.push_back(i);
    }
  }

  void sum(int64_t start, int64_t stop, std::vector<double> &n_c) const {
    std::fill(n_c.begin(), n_c.end(), 0.0);
    for (int64_t e = starts[start]; e < starts[stop]; ++e) n_c[classes[e]] += counts[e];
  }

  bool pays() const {
    const Entropy s(whole), s1(lower), s2(upper);
    const double gain = s.n * s.h - s1.n * s1.h - s2.n * s2.h;
    const double delta = s.k * std::log2(3.0) + std::log1p(-2 * std::pow(3.0, -s.k)) / std::log(2.0) -
                         (s.k * s.h - s1.k * s1.h - s2.k * s2.h);
    return gain > std::log2(std::max(s.n - 1, 1.0)) + delta;
  }

  // The last block below the best cut of the blocks start … stop − 1, if it pays; −1 if none does.
  int64_t best(int64_t start, int64_t stop, const XLogX &g) {
    sum(start, stop, whole);
    double total = 0, sum_left = 0, sum_right = 0, n = 0;
    for (size_t c = 0; c < whole.size(); ++c) {
      left[c] = {};
      right[c] = {whole[c], xlogx(whole[c])};
      total += whole[c], sum_right += right[c].g;
    }
    inside.clear();
    for (int64_t b = start; b < stop - 1; ++b) {
      for (int64_t e = starts[b]; e < starts[b + 1]; ++e) {
        sum_left += g.move(left[classes[e]], counts[e]);
        sum_right += g.move(right[classes[e]], -counts[e]);
        n += counts[e];
      }
      inside.push_back(g(n) + g(total - n) - sum_left - sum_right);
    }
    if (inside.empty()) return -1;
    const double least = *std::min_element(inside.begin(), inside.end());
    int64_t b = start;
    while (inside[b - start] > least + kTie * total) ++b;  // of equals the lowest
    sum(start, b + 1, lower);
    sum(b + 1, stop, upper);
    return pays() ? b : -1;
  }

  std::vector<int64_t> cut() {
    const XLogX g(counts);
    std::vector<int64_t> cuts;
    // A stack of our own, because lopsided cuts nest deep.
    std::vector<std::pair<int64_t, int64_t>> todo{{0, static_cast<int64_t>(last.size())}};
    while (!todo.empty()) {
      const auto [start, stop] = todo.back();
      todo.pop_back();
      const int64_t b = best(start, stop, g);
      if (b < 0) continue;
      cuts.push_back(last[b]);
      todo.push_back({start, b + 1});
      todo.push_back({b + 1, stop});
    }
    std::sort(cuts.begin(), cuts.end());
    return cuts;
  }
};

nb::ndarray<nb::numpy, int64_t> mdl_cuts(Vector<int64_t> indptr, Vector<int32_t> classes,
                                         Floats counts, int64_t n_classes) {
  std::vector<int64_t> cuts;
  {
    nb::gil_scoped_release release;
    const auto m = static_cast<int64_t>(indptr.shape(0)) - 1;
    cuts = Mdl(indptr.data(), m, classes.data(), counts.data(), n_classes).cut();
  }
  const size_t n = cuts.size();
  return give(std::move(cuts), {n});
}

// A binary search for many numbers at once, step by step, so that the steps run in vectors.
// `cuts` is filled up with infinity to 2 · step − 1 entries.
JB_CLONES void search(const double *x, int64_t n, const double *cuts, int64_t step,
                      int64_t *below) {
  for (int64_t i = 0; i < n; ++i) below[i] = 0;
  for (; step; step /= 2)
    for (int64_t i = 0; i < n; ++i)
      below[i] += cuts[below[i] + step - 1] < x[i] ? step : 0;
}

template <class T>
void digitize(Floats x, Floats cuts, int64_t missing, nb::ndarray<T, nb::ndim<1>, nb::c_contig> out) {
  nb::gil_scoped_release release;
  constexpr int64_t kBlock = 1024;
  const auto n = static_cast<int64_t>(x.shape(0));
  const auto room = std::bit_ceil(cuts.shape(0) + 1);
  std::vector<double> filled(cuts.data(), cuts.data() + cuts.shape(0));
  filled.resize(room, std::numeric_limits<double>::infinity());
  int64_t below[kBlock];
  for (int64_t b = 0; b < n; b += kBlock) {
    const int64_t m = std::min(kBlock, n - b);
    const double *v = x.data() + b;
    T *codes = out.data() + b;
    search(v, m, filled.data(), static_cast<int64_t>(room / 2), below);
    for (int64_t i = 0; i < m; ++i)
      codes[i] = static_cast<T>(v[i] != v[i] ? missing : below[i]);
  }
}

}  // namespace

void bind_cuts(nb::module_ &m) {
  define(m, "mdl_cuts", mdl_cuts);
  define(m, "digitize", digitize<uint8_t>);
  define(m, "digitize", digitize<uint16_t>);
  define(m, "digitize", digitize<uint32_t>);
}
