// Numeric columns: histograms by class, the MDL criterion on them, and digitizing.
// cuts.py beside this file says what each function returns.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "parallel.hpp"

namespace {

constexpr double kTie = 1e-10;
using Floats = Vector<double>;

// One value of the column: a key that sorts as the number does, and where class and weight stand.
struct Item {
  uint64_t key;
  uint32_t row;
};

uint64_t to_key(double v) {
  const auto bits = std::bit_cast<uint64_t>(v + 0.0);  // −0.0 becomes 0.0
  return bits ^ ((bits >> 63) ? ~0ull : 1ull << 63);
}

double from_key(uint64_t key) {
  return std::bit_cast<double>(key ^ ((key >> 63) ? 1ull << 63 : ~0ull));
}

// Stable sort: a radix sort by the leading 33 bits in which keys differ, eleven at a time, then the
// few runs that agree in all of them one by one.
void sort_items(std::vector<Item> &items) {
  constexpr int kBits = 11, kPasses = 3;
  constexpr size_t kBuckets = 1u << kBits;
  const auto less = [](const Item &a, const Item &b) { return a.key < b.key; };
  if (items.size() < 512) return std::stable_sort(items.begin(), items.end(), less);
  uint64_t vary = 0;
  for (const Item &item : items) vary |= item.key ^ items[0].key;
  const int lowest = std::max(0, 64 - std::countl_zero(vary) - kBits * kPasses);
  std::vector<Item> other(items.size());
  std::vector<size_t> start(kBuckets);
  for (int shift = lowest; shift < 64 && vary >> shift; shift += kBits) {
    std::fill(start.begin(), start.end(), 0);
    for (const Item &item : items) ++start[(item.key >> shift) & (kBuckets - 1)];
    size_t sum = 0;
    for (size_t &s : start) sum += std::exchange(s, sum);
    for (const Item &item : items) other[start[(item.key >> shift) & (kBuckets - 1)]++] = item;
    items.swap(other);
  }
  for (auto run = items.begin(); lowest && run != items.end();) {
    auto end = run + 1;
    while (end != items.end() && end->key >> lowest == run->key >> lowest) ++end;
    if (!std::is_sorted(run, end, less)) std::stable_sort(run, end, less);
    run = end;
  }
}

struct Histogram {
  std::vector<double> values, counts;
  std::vector<int64_t> indptr{0};
  std::vector<int32_t> classes;

  void add(int32_t c, double w) {
    if (w > 0) classes.push_back(c), counts.push_back(w);
  }
  void close(double value) {
    if (static_cast<int64_t>(counts.size()) == indptr.back()) return;  // weight 0: left out
    values.push_back(value);
    indptr.push_back(static_cast<int64_t>(counts.size()));
  }
};

// Entry i of a column stands in row `rows[i]` of the table (i itself when it is dense).
struct Entries {
  const double *x;
  int64_t n;
  const int32_t *rows;
  const uint32_t *target;
  const double *weights;

  int64_t row(int64_t i) const { return rows ? rows[i] : i; }
  uint32_t label(int64_t i) const { return target[row(i)]; }
  double weight(int64_t i) const { return weights ? weights[row(i)] : 1.0; }
};

// Whether all numbers are integers in a range so small that counting beats sorting.
struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  bool integral = true;
};

JB_CLONES Range range_of(const double *x, int64_t n) {
  Range out;
  constexpr int64_t kBlock = 1024;
  for (int64_t b = 0; b < n && out.integral; b += kBlock) {
    double low = out.low, high = out.high;
    int64_t odd = 0;
    for (int64_t i = b; i < std::min(n, b + kBlock); ++i) {
      const double v = x[i];
      low = v < low ? v : low;
      high = v > high ? v : high;
      odd += (v != std::floor(v)) & (v == v);
    }
    out = {low, high, odd == 0};
  }
  return out;
}

template <class Cell>
void count_range(const Entries &e, const Range &range, const std::vector<double> &zeros,
                 Histogram &out) {
  const int64_t c = static_cast<int64_t>(zeros.size());
  const int64_t span = static_cast<int64_t>(range.high - range.low) + 1;
  std::vector<Cell> cells(span * c, 0);
  for (int64_t i = 0; i < e.n; ++i) {
    if (e.x[i] != e.x[i]) continue;
    const auto v = static_cast<int64_t>(e.x[i] - range.low);
    cells[v * c + e.label(i)] += static_cast<Cell>(e.weight(i));
  }
  if (range.low <= 0 && range.high >= 0)
    for (int64_t j = 0; j < c; ++j)
      cells[static_cast<int64_t>(-range.low) * c + j] += static_cast<Cell>(zeros[j]);
  for (int64_t v = 0; v < span; ++v) {
    for (int64_t j = 0; j < c; ++j)
      out.add(static_cast<int32_t>(j), static_cast<double>(cells[v * c + j]));
    out.close(range.low + static_cast<double>(v));
  }
}

void count_sorted(const Entries &e, const std::vector<double> &zeros, bool has_zeros,
                  Histogram &out) {
  std::vector<Item> items;
  items.reserve(e.n + 1);
  for (int64_t i = 0; i < e.n; ++i)
    if (e.x[i] == e.x[i]) items.push_back({to_key(e.x[i]), static_cast<uint32_t>(i)});
  const auto absent = static_cast<uint32_t>(e.n);  // stands for all rows that are not stored
  if (has_zeros) items.push_back({to_key(0.0), absent});
  sort_items(items);
  std::vector<double> cell(zeros.size(), 0.0);
  std::vector<int32_t> touched;
  auto add = [&](int32_t c, double w) {
    if (w > 0 && cell[c] == 0) touched.push_back(c);
    cell[c] += w;
  };
  for (size_t i = 0; i < items.size(); ++i) {
    const uint32_t at = items[i].row;
    if (at == absent)
      for (size_t c = 0; c < zeros.size(); ++c) add(static_cast<int32_t>(c), zeros[c]);
    else
      add(static_cast<int32_t>(e.label(at)), e.weight(at));
    if (i + 1 < items.size() && items[i + 1].key == items[i].key) continue;
    std::sort(touched.begin(), touched.end());
    for (int32_t c : touched) out.add(c, std::exchange(cell[c], 0.0));
    touched.clear();
    out.close(from_key(items[i].key));
  }
}

nb::tuple histogram(Floats x, Vector<int32_t> rows, Vector<uint32_t> target, Floats weights,
                    Floats totals, Vector<int64_t> sizes) {
  Histogram out;
  {
    nb::gil_scoped_release release;
    const Entries e{x.data(), static_cast<int64_t>(x.shape(0)),
                    rows.is_valid() ? rows.data() : nullptr, target.data(),
                    weights.is_valid() ? weights.data() : nullptr};
    const int64_t c = static_cast<int64_t>(totals.shape(0));
    std::vector<double> zeros(c, 0.0);
    bool has_zeros = false;
    if (e.rows) {
      std::vector<int64_t> size(sizes.data(), sizes.data() + c);
      std::copy(totals.data(), totals.data() + c, zeros.begin());
      std::vector<double> stored(c, 0.0);
      for (int64_t i = 0; i < e.n; ++i) {
        const double w = e.weight(i);
        size[e.label(i)] -= w > 0;
        stored[e.label(i)] += w;
      }
      for (int64_t j = 0; j < c; ++j) {
        zeros[j] = size[j] > 0 ? zeros[j] - stored[j] : 0.0;
        has_zeros |= zeros[j] > 0;
      }
    }
    Range range = range_of(e.x, e.n);
    if (has_zeros) range.low = std::min(range.low, 0.0), range.high = std::max(range.high, 0.0);
    const double cells = (range.high - range.low + 1) * static_cast<double>(c);
    if (range.integral && range.low <= range.high && cells <= 4.0 * static_cast<double>(e.n) + 64) {
      if (e.weights || has_zeros)
        count_range<double>(e, range, zeros, out);
      else
        count_range<uint32_t>(e, range, zeros, out);
    } else {
      count_sorted(e, zeros, has_zeros, out);
    }
  }
  const size_t m = out.values.size(), entries = out.counts.size();
  return nb::make_tuple(give(std::move(out.values), {m}), give(std::move(out.indptr), {m + 1}),
                        give(std::move(out.classes), {entries}),
                        give(std::move(out.counts), {entries}));
}

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
    search(v, m, filled.data(), static_cast<int64_t>(room / 2), below);
    for (int64_t i = 0; i < m; ++i)
      out.data()[b + i] = static_cast<T>(v[i] != v[i] ? missing : below[i]);
  }
}

}  // namespace

void bind_cuts(nb::module_ &m) {
  m.def("histogram", &histogram, nb::arg("x"), nb::arg("rows").none(), nb::arg("target"),
        nb::arg("weights").none(), nb::arg("totals"), nb::arg("sizes"));
  m.def("mdl_cuts", &mdl_cuts);
  m.def("digitize", &digitize<uint8_t>);
  m.def("digitize", &digitize<uint16_t>);
  m.def("digitize", &digitize<uint32_t>);
}
