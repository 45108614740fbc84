// The distinct values of a numeric column and the weight of each class at each value.
// histograms.py beside this file says what the function returns.
#include <bit>
#include <cmath>
#include <limits>

#include "parallel.hpp"

namespace {

using Floats = Vector<double>;

// One value of the column: a key that sorts as the number does, its class, and where its weight is.
struct Item {
  uint64_t key;
  uint32_t row, label;
};

uint64_t to_key(double v) {
  const auto bits = std::bit_cast<uint64_t>(v + 0.0);  // −0.0 becomes 0.0
  return bits ^ ((bits >> 63) ? ~0ull : 1ull << 63);
}

double from_key(uint64_t key) {
  return std::bit_cast<double>(key ^ ((key >> 63) ? 1ull << 63 : ~0ull));
}

constexpr int kBits = 11, kPasses = 3;
constexpr size_t kCached = 1u << 15;  // items that stay in the cache, beside a copy of them

// Stable sort of items[0 … n − 1], with room for as many in `other`. Those that fit the cache go by
// the leading 33 bits in which keys differ, eleven at a time from the last, then the few runs that
// agree in all of them one by one. More are dealt out by a few leading bits first, into so few buckets
// that each is written as a stream, and each bucket is sorted by itself.
void sort_items(Item *items, Item *other, size_t n) {
  const auto less = [](const Item &a, const Item &b) { return a.key < b.key; };
  if (n < 512) return std::stable_sort(items, items + n, less);
  uint64_t vary = 0;
  for (size_t i = 0; i < n; ++i) vary |= items[i].key ^ items[0].key;
  if (!vary) return;
  const int top = 64 - std::countl_zero(vary);
  std::vector<size_t> start;  // of each bucket, and where it ends when all are dealt out
  const auto deal = [&](const Item *from, Item *to, int shift, int bits) {
    const uint64_t mask = (1u << bits) - 1;
    start.assign(mask + 1, 0);
    for (size_t i = 0; i < n; ++i) ++start[(from[i].key >> shift) & mask];
    size_t sum = 0;
    for (size_t &s : start) sum += std::exchange(s, sum);
    for (size_t i = 0; i < n; ++i) to[start[(from[i].key >> shift) & mask]++] = from[i];
  };
  if (n > kCached) {
    const int few = std::clamp(static_cast<int>(std::bit_width(n / kCached)) + 1, 4, 8);
    const int shift = std::max(0, top - few);
    deal(items, other, shift, few);
    std::copy(other, other + n, items);
    size_t begin = 0;
    for (const size_t end : start) {
      if (shift) sort_items(items + begin, other + begin, end - begin);
      begin = end;
    }
    return;
  }
  const int lowest = std::max(0, top - kBits * kPasses);
  Item *from = items, *to = other;
  for (int shift = lowest; shift < 64 && vary >> shift; shift += kBits) {
    deal(from, to, shift, kBits);
    std::swap(from, to);
  }
  if (from != items) std::copy(from, from + n, items);
  for (Item *run = items; lowest && run != items + n;) {
    Item *end = run + 1;
    while (end != items + n && end->key >> lowest == run->key >> lowest) ++end;
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
    if (e.x[i] == e.x[i]) items.push_back({to_key(e.x[i]), static_cast<uint32_t>(i), e.label(i)});
  const auto absent = static_cast<uint32_t>(e.n);  // stands for all rows that are not stored
  if (has_zeros) items.push_back({to_key(0.0), absent, 0});
  {
    std::vector<Item> other(items.size());
    sort_items(items.data(), other.data(), items.size());
  }
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
      add(static_cast<int32_t>(items[i].label), e.weight(at));
    if (i + 1 < items.size() && items[i + 1].key == items[i].key) continue;
    std::sort(touched.begin(), touched.end());
    for (int32_t c : touched) out.add(c, std::exchange(cell[c], 0.0));
    touched.clear();
    out.close(from_key(items[i].key));
  }
}

// The weight of every class in the rows that a sparse column does not store: its zeros.
std::vector<double> zeros_of(const Entries &e, Floats totals, Vector<int64_t> sizes) {
  const size_t c = totals.shape(0);
  std::vector<int64_t> size(sizes.data(), sizes.data() + c);
  std::vector<double> stored(c, 0.0), zeros(c, 0.0);
  for (int64_t i = 0; i < e.n; ++i) {
    size[e.label(i)] -= e.weight(i) > 0;
    stored[e.label(i)] += e.weight(i);
  }
  for (size_t j = 0; j < c; ++j)  // the rows left say whether; the weights, rounded, how much
    if (size[j] > 0) zeros[j] = totals(j) - stored[j];
  return zeros;
}

nb::tuple histogram(Floats x, std::optional<Vector<int32_t>> rows, Vector<uint32_t> target,
                    std::optional<Floats> weights, Floats totals, Vector<int64_t> sizes) {
  Histogram out;
  {
    nb::gil_scoped_release release;
    const bool sparse = rows.has_value();
    const Entries e{x.data(), static_cast<int64_t>(x.shape(0)), sparse ? rows->data() : nullptr,
                    target.data(), weights ? weights->data() : nullptr};
    const auto zeros = sparse ? zeros_of(e, totals, sizes) : std::vector(totals.shape(0), 0.0);
    const bool has_zeros = std::any_of(zeros.begin(), zeros.end(), [](double w) { return w > 0; });
    Range range = range_of(e.x, e.n);
    if (has_zeros) range.low = std::min(range.low, 0.0), range.high = std::max(range.high, 0.0);
    const double cells = (range.high - range.low + 1) * static_cast<double>(zeros.size());
    const bool few = cells <= 4.0 * static_cast<double>(e.n) + 64;
    if (!range.integral || !(range.low <= range.high) || !few)
      count_sorted(e, zeros, has_zeros, out);
    else if (e.weights || has_zeros)
      count_range<double>(e, range, zeros, out);
    else
      count_range<uint32_t>(e, range, zeros, out);
  }
  const size_t m = out.values.size(), entries = out.counts.size();
  return nb::make_tuple(give(std::move(out.values), {m}), give(std::move(out.indptr), {m + 1}),
                        give(std::move(out.classes), {entries}),
                        give(std::move(out.counts), {entries}));
}

}  // namespace

void bind_histograms(nb::module_ &m) { define(m, "histogram", histogram); }
