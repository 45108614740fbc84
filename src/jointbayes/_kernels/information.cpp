// Conditional mutual information of all pairs of features, counted and reduced in one go: nothing
// is kept but the answer. With f(n) = n log2 n and N rows in which both features were observed,
//
//   N I(A; B | C) = Σ_cab f(n_cab) - Σ_ca f(n_ca) - Σ_cb f(n_cb) + Σ_c f(n_c).
#include <cmath>

#include "bits.hpp"

namespace {

class XLogX {
 public:
  XLogX() = default;
  // A table pays while it is smaller than what is looked up, and fits in cache.
  XLogX(int64_t largest, double lookups)
      : table_(std::min({largest + 1, int64_t{1} << 16, static_cast<int64_t>(lookups) + 1})) {
    for (size_t n = 0; n < table_.size(); ++n) table_[n] = exact(static_cast<double>(n));
  }
  double operator()(uint64_t n) const {
    return n < table_.size() ? table_[n] : exact(static_cast<double>(n));
  }
  bool covers(int64_t n) const { return n < static_cast<int64_t>(table_.size()); }
  const double *data() const { return table_.data(); }
  static double exact(double n) { return n > 0 ? n * std::log2(n) : 0.0; }

 private:
  std::vector<double> table_;
};

// The sum of f over all cells, less those of the margins, of one class.
struct Sums {
  double terms = 0, rows = 0;
};

class Information {
 public:
  Information(Task &task, double *out) : task_(task), out_(out) {}

  void run() {
    if (task_.weights) task_.x.densify();
    std::vector<int64_t> narrow, wide;
    for (int64_t i = 0; i < task_.x.p; ++i) {
      if (task_.constant(i)) continue;  // shares nothing with any feature
      const bool fits = task_.x.sparse() || task_.slots[i] < 256;
      (fits && !task_.weights ? narrow : wide).push_back(i);
    }
    if (!narrow.empty()) by_bits(narrow);
    std::vector<std::pair<int64_t, int64_t>> rest;
    for (size_t a = 0; a < wide.size(); ++a) {
      for (size_t b = a + 1; b < wide.size(); ++b) rest.emplace_back(wide[a], wide[b]);
      for (int64_t j : narrow) rest.emplace_back(wide[a], j);
    }
    parallel_for(rest.size(), task_.threads,
                 [&](int64_t t) { one_pair(rest[t].first, rest[t].second); });
  }

 private:
  Task &task_;
  double *out_;
  XLogX f_;

  void put(int64_t i, int64_t j, const Sums &sums) {
    const double bits = sums.rows > 0 ? std::max(0.0, sums.terms / sums.rows) : 0.0;
    out_[i * task_.x.p + j] = out_[j * task_.x.p + i] = bits;
  }

  void by_bits(const std::vector<int64_t> &features) {
    const BitRows rows(task_, features);
    const double lookups = static_cast<double>(task_.C * task_.V) * static_cast<double>(task_.V);
    f_ = XLogX(task_.C ? *std::max_element(task_.n_c.begin(), task_.n_c.end()) : 0, lookups);
    const int64_t B = static_cast<int64_t>(rows.bands.size());
    parallel_for(B * B, task_.threads, [&](int64_t t) {
      if (t / B <= t % B) block(rows, rows.bands[t / B], rows.bands[t % B]);
    });
  }

  void block(const BitRows &rows, const BitRows::Band &I, const BitRows::Band &J) {
    const int64_t width = static_cast<int64_t>(J.members.size());
    std::vector<Sums> sums(I.members.size() * width);
    std::vector<uint64_t> counts(I.padded() * J.padded());
    PairTable table;
    for (int64_t c = 0; c < task_.C; ++c) {
      if (!task_.n_c[c]) continue;
      rows.count(I, J, c, counts.data());
      if (binary(I) && binary(J) && f_.covers(task_.n_c[c])) {
        two_by_two(I, J, c, counts.data(), sums.data());
        continue;
      }
      for (size_t x = 0; x < I.members.size(); ++x)
        for (int64_t z = &I == &J ? x + 1 : 0; z < width; ++z) {
          const auto &a = I.members[x], &b = J.members[z];
          table.fill(I, a, J, b, c, task_, counts.data());
          general(sums[x * width + z], table.cells, task_.card(a.feature), task_.card(b.feature),
                  b.slots);
        }
    }
    for (size_t x = 0; x < I.members.size(); ++x)
      for (int64_t z = &I == &J ? x + 1 : 0; z < width; ++z)
        put(I.members[x].feature, J.members[z].feature, sums[x * width + z]);
  }

  // Whether all features of a band are two-valued and always observed: one row each.
  bool binary(const BitRows::Band &band) const {
    return std::all_of(band.members.begin(), band.members.end(), [&](const auto &m) {
      return m.slots == 2 && m.dropped < 2 && !task_.hidden(m.feature);
    });
  }

  // All pairs of two bands of binary features: the other three cells follow from n(1, 1).
  void two_by_two(const BitRows::Band &I, const BitRows::Band &J, int64_t c,
                  const uint64_t *counts, Sums *sums) const {
    const double *f = f_.data();
    const int64_t n = task_.n_c[c], width = static_cast<int64_t>(J.members.size());
    const uint64_t *n_a = I.totals.data() + c * I.padded(), *n_b = J.totals.data() + c * J.padded();
    std::vector<double> margin(width);
    for (int64_t z = 0; z < width; ++z) margin[z] = f[n_b[z]] + f[n - n_b[z]] - f[n];
    for (size_t x = 0; x < I.members.size(); ++x) {
      const int64_t a = static_cast<int64_t>(n_a[x]);
      const double own = f[a] + f[n - a];
      const uint64_t *both = counts + x * J.padded();
      for (int64_t z = 0; z < width; ++z) {
        const int64_t ab = static_cast<int64_t>(both[z]), b = static_cast<int64_t>(n_b[z]);
        if (&I == &J && z <= static_cast<int64_t>(x)) continue;
        Sums &sum = sums[x * width + z];
        sum.terms += (f[ab] + f[a - ab]) + (f[b - ab] + f[n - a - b + ab]) - (own + margin[z]);
        sum.rows += static_cast<double>(n);
      }
    }
  }

  void general(Sums &sum, const std::vector<uint64_t> &cells, int64_t ka, int64_t kb,
               int64_t stride) const {
    std::vector<uint64_t> columns(kb, 0);
    uint64_t total = 0;
    for (int64_t v = 0; v < ka; ++v) {
      uint64_t row = 0;
      for (int64_t w = 0; w < kb; ++w) {
        const uint64_t n = cells[v * stride + w];
        sum.terms += f_(n);
        row += n;
        columns[w] += n;
      }
      sum.terms -= f_(row);
      total += row;
    }
    for (uint64_t n : columns) sum.terms -= f_(n);
    sum.terms += f_(total);
    sum.rows += static_cast<double>(total);
  }

  // Weights, or many values: rows are grouped by sorting, so that memory follows rows, not cells.
  void one_pair(int64_t i, int64_t j) {
    const int64_t n = task_.x.n, S = task_.slots[i], T = task_.slots[j];
    std::vector<double> n_ca(task_.C * S, 0.0), n_cb(task_.C * T, 0.0), n_c(task_.C, 0.0);
    std::vector<std::pair<uint64_t, int64_t>> cell;  // and its row
    cell.reserve(n);
    auto weight = [&](int64_t r) { return task_.weights ? (*task_.weights)(r) : 1.0; };
    task_.both([&](const auto *codes, const auto *y) {
      const auto *a = codes + i * n, *b = codes + j * n;
      for (int64_t r = 0; r < n; ++r) {
        if (a[r] >= task_.card(i) || b[r] >= task_.card(j)) continue;
        const uint64_t c = y[r];
        n_ca[c * S + a[r]] += weight(r);
        n_cb[c * T + b[r]] += weight(r);
        n_c[c] += weight(r);
        cell.emplace_back((c * S + a[r]) * T + b[r], r);
      }
    });
    std::sort(cell.begin(), cell.end());
    Sums sums;
    for (size_t k = 0; k < cell.size();) {
      double together = 0;
      const uint64_t key = cell[k].first;
      for (; k < cell.size() && cell[k].first == key; ++k) together += weight(cell[k].second);
      sums.terms += XLogX::exact(together);
    }
    for (double count : n_ca) sums.terms -= XLogX::exact(count);
    for (double count : n_cb) sums.terms -= XLogX::exact(count);
    for (double count : n_c) {
      sums.terms += XLogX::exact(count);
      sums.rows += count;
    }
    put(i, j, sums);
  }
};

nb::ndarray<nb::numpy, double> pair_information(nb::object features, nb::object target,
                                                Vector<int64_t> offsets, int64_t n_classes,
                                                Weights weights, int threads) {
  Task task(features, target, offsets, n_classes, weights, threads);
  const auto p = static_cast<size_t>(task.x.p);
  std::vector<double> out(p * p, 0.0);
  {
    nb::gil_scoped_release release;
    task.inspect();
    Information(task, out.data()).run();
  }
  return give(std::move(out), {p, p});
}

}  // namespace

void bind_information(nb::module_ &m) { define(m, "pair_information", pair_information); }
