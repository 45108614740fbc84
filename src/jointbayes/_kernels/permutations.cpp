// Conditional G² of many columns with one target, and its permutations drawn as tables.
#include "parallel.hpp"
#include "random.hpp"
#include "urns.hpp"

namespace {

// Call f with every row whose code is not 0, eight bytes at a time: most words have none.
template <class T, class F> void each_nonzero(const T *x, int64_t n, F f) {
  constexpr int64_t step = 8 / sizeof(T);
  int64_t r = 0;
  for (; r + step <= n; r += step) {
    uint64_t word;
    std::memcpy(&word, x + r, sizeof word);
    if (!word) continue;
    for (int64_t q = r; q < r + step; ++q)
      if (x[q]) f(q);
  }
  for (; r < n; ++r)
    if (x[r]) f(r);
}

// The target within those strata in which it has several values: in no others can it depend on
// anything. The stratum of every row among them, −1 for none, and how often each value occurs.
struct Target {
  const uint32_t *y;
  int64_t n, k_y;
  std::vector<int64_t> strata;
  std::vector<int32_t> home;
  std::vector<int64_t> counts;  // (strata, k_y)

  Target(Vector<uint32_t> target, Vector<int64_t> order, Vector<int64_t> starts, int64_t k)
      : y(target.data()), n(target.shape(0)), k_y(k), home(n, -1) {
    for (int64_t s = 0; s + 1 < static_cast<int64_t>(starts.shape(0)); ++s) {
      const int64_t *rows = order.data() + starts(s), *end = order.data() + starts(s + 1);
      if (std::all_of(rows, end, [&](int64_t r) { return y[r] == y[*rows]; })) continue;
      counts.resize(counts.size() + k_y, 0);
      for (const int64_t *r = rows; r < end; ++r) {
        home[*r] = static_cast<int32_t>(strata.size());
        ++counts[counts.size() - k_y + y[*r]];
      }
      strata.push_back(s);
    }
  }

  // (m, k_x, k_y) counts of a column with the target, of m strata from `first` on. Only codes other
  // than 0 are looked up: zeros are what is left.
  template <class T>
  void cross(const T *x, int64_t k_x, int64_t first, int64_t m, std::vector<int64_t> &cells) const {
    const int64_t size = k_x * k_y;
    cells.assign(m * size, 0);
    each_nonzero(x, n, [&](int64_t r) {
      const int64_t s = home[r] - first;
      if (s >= 0 && s < m) ++cells[s * size + x[r] * k_y + y[r]];
    });
    for (int64_t s = 0; s < m; ++s)
      for (int64_t j = 0; j < k_y; ++j) {
        int64_t left = counts[(first + s) * k_y + j];
        for (int64_t i = 1; i < k_x; ++i) left -= cells[s * size + i * k_y + j];
        cells[s * size + j] = left;
      }
  }
};

constexpr int64_t kCells = 1 << 20;  // of the strata that are counted at a time

// One column's table with the target inside one stratum, without its empty rows and columns.
struct Crosstab {
  int64_t total = 0;
  std::vector<int64_t> cells, rows, columns;

  void take(const int64_t *counts, int64_t k_x, int64_t k_y) {
    total = 0;
    cells.clear(), rows.assign(k_x, 0), columns.assign(k_y, 0);
    for (int64_t i = 0; i < k_x; ++i)
      for (int64_t j = 0; j < k_y; ++j) {
        rows[i] += counts[i * k_y + j];
        columns[j] += counts[i * k_y + j];
        total += counts[i * k_y + j];
      }
    for (int64_t i = 0; i < k_x; ++i)
      for (int64_t j = 0; j < k_y; ++j)
        if (rows[i] && columns[j]) cells.push_back(counts[i * k_y + j]);
    std::erase(rows, 0), std::erase(columns, 0);
  }

  // The stream of the table: its shape and cells, so that no two tables share their luck.
  uint64_t key(uint64_t seed) const {
    seed = stream(seed, rows.size());
    for (int64_t n : cells) seed = stream(seed, n);
    return seed;
  }

  // Eq. 1 without its first sum, halved; with f = log n!, minus Eq. 4 without its cells.
  double margins(const double *f) const {
    double sum = f[total];
    for (int64_t n : rows) sum -= f[n];
    for (int64_t n : columns) sum -= f[n];
    return sum;
  }

  double cell_sum(const double *f) const {
    double sum = 0.0;
    for (int64_t n : cells) sum += f[n];
    return sum;
  }

  // Eq. 3.
  double mean_cell_sum(Urn &urn, const Logs &log) const {
    double sum = 0.0;
    for (int64_t a : rows)
      for (int64_t b : columns) sum += urn.mean(a, b, total, log);
    return sum;
  }

  // Eq. 2: the sums over the cells of kLanes permuted tables, one for each key. All of them draw
  // their first cell from the same urn; the others depend on what was drawn before.
  void drawn_cell_sums(const uint64_t *keys, Urn &urn, std::vector<int32_t> &left, const Logs &log,
                       double *sums) const {
    const double *f = log.xlogx;
    const int64_t a = rows[0], b = columns[0];
    Urns urns;
    for (int l = 0; l < kLanes; ++l)
      urns.drawn[l] = static_cast<int32_t>(urn.draw(uniform(keys[l], 0), a, b, total, log));
    if (rows.size() == 2 && columns.size() == 2) {  // one cell gives the other three
      for (int l = 0; l < kLanes; ++l) {
        const int64_t n = urns.drawn[l];
        sums[l] = f[n] + f[a - n] + (f[b - n] + f[total - a - b + n]);
      }
      return;
    }
    left.clear();
    for (int64_t n : columns) left.insert(left.end(), kLanes, static_cast<int32_t>(n));
    std::fill(sums, sums + kLanes, 0.0);
    auto all = static_cast<int32_t>(total);
    size_t cell = 0;
    for (size_t i = 0; i + 1 < rows.size(); ++i) {
      std::fill(urns.a, urns.a + kLanes, static_cast<int32_t>(rows[i]));
      std::fill(urns.n, urns.n + kLanes, all);
      int32_t *column = left.data();
      for (size_t j = 0; j + 1 < columns.size(); ++j, ++cell, column += kLanes) {
        if (cell) {
          std::copy(column, column + kLanes, urns.b);
          for (int l = 0; l < kLanes; ++l) urns.u[l] = uniform(keys[l], cell);
          draw_urns(urns, log);
        }
        for (int l = 0; l < kLanes; ++l) {
          const int32_t n = urns.drawn[l];
          sums[l] += f[n], urns.n[l] -= column[l], urns.a[l] -= n, column[l] -= n;
        }
      }
      for (int l = 0; l < kLanes; ++l) sums[l] += f[urns.a[l]], column[l] -= urns.a[l];
      all -= static_cast<int32_t>(rows[i]);
    }
    for (size_t k = 0; k < left.size(); ++k) sums[k % kLanes] += f[left[k]];
  }
};

constexpr double kTie = 1e-9;    // equal tables give equal statistics up to the order of their sums
constexpr int64_t kBatch = 256;  // permutations between two looks at how many reached the statistic

struct Part {
  uint64_t key;
  Crosstab table;
  double margins;
};

struct Answer {
  double g2 = 0, dof = 0, mean = 0, reached = 0, drawn = 0, log_probability = 0;
};

// Draw permutations of all strata until `enough` reach the statistic (0: all n_permutations).
void permute(const std::vector<Part> &parts, int64_t n_permutations, int64_t enough,
             const Logs &log, Answer &answer) {
  const double limit = answer.g2 - kTie * std::max(1.0, answer.g2);
  std::vector<double> permuted;
  std::vector<int32_t> left;
  double sum = 0.0;
  int64_t drawn = 0, reached = 0;
  while (drawn < n_permutations && (!enough || reached < enough)) {
    permuted.assign(std::min(n_permutations - drawn, kBatch), 0.0);
    for (const Part &part : parts) {
      Urn urn;
      for (size_t b = 0; b < permuted.size(); b += kLanes) {
        uint64_t keys[kLanes];
        double sums[kLanes];
        for (int l = 0; l < kLanes; ++l) keys[l] = stream(part.key, drawn + b + l);
        part.table.drawn_cell_sums(keys, urn, left, log, sums);
        const int used = static_cast<int>(std::min<size_t>(kLanes, permuted.size() - b));
        for (int l = 0; l < used; ++l) permuted[b + l] += 2 * (part.margins + sums[l]);
      }
    }
    for (double g : permuted) {
      ++drawn, sum += g, reached += g >= limit;
      if (enough && reached == enough) break;
    }
  }
  answer.mean = sum / drawn, answer.reached = reached, answer.drawn = drawn;
}

template <class T> int64_t width(const T *codes, int64_t n) {
  T largest = 0;
  for (int64_t r = 0; r < n; ++r) largest = std::max(largest, codes[r]);
  return static_cast<int64_t>(largest) + 1;
}

template <class T>
nb::ndarray<nb::numpy, double> permute_columns(Columns<T> columns, Vector<uint32_t> target,
                                               Vector<int64_t> order, Vector<int64_t> starts,
                                               int64_t n_permutations, int64_t enough,
                                               uint64_t seed, Rows<double> tables, int threads) {
  const int64_t n = columns.shape(0), p = columns.shape(1);
  const Logs log{tables.data(), tables.data() + tables.shape(1)};
  const int64_t k_y = width(target.data(), n);
  const Target known(target, order, starts, k_y);
  const auto n_strata = static_cast<int64_t>(known.strata.size());
  std::vector<double> out(6 * p);
  {
    nb::gil_scoped_release release;
    parallel_for(p, threads, [&](int64_t c) {
      std::vector<Part> parts;
      Urn urn;
      Answer answer;
      Crosstab table;
      std::vector<int64_t> cells;
      const T *x = columns.data() + c * n;
      const int64_t k_x = width(x, n), size = k_x * k_y;
      const int64_t step = std::max<int64_t>(1, kCells / size);  // strata at a time
      for (int64_t s = 0; s < n_strata; ++s) {
        if (s % step == 0) known.cross(x, k_x, s, std::min(step, n_strata - s), cells);
        table.take(cells.data() + s % step * size, k_x, k_y);
        const size_t dof = (table.rows.size() - 1) * (table.columns.size() - 1);
        if (!dof) continue;
        const double margins = table.margins(log.xlogx);
        answer.g2 += 2 * (table.cell_sum(log.xlogx) + margins);
        answer.dof += static_cast<double>(dof);
        answer.log_probability -= table.margins(log.factorial) + table.cell_sum(log.factorial);
        if (!n_permutations) answer.mean += 2 * (table.mean_cell_sum(urn, log) + margins);
        parts.push_back({table.key(stream(seed, known.strata[s])), table, margins});
      }
      if (n_permutations) permute(parts, n_permutations, enough, log, answer);
      const double six[] = {answer.g2,      answer.dof,   answer.mean,
                            answer.reached, answer.drawn, answer.log_probability};
      std::copy(six, six + 6, out.data() + 6 * c);
    });
  }
  return give(std::move(out), {static_cast<size_t>(p), 6});
}

}  // namespace

void bind_permutations(nb::module_ &m) {
  define(m, "permute_columns", permute_columns<uint8_t>);
  define(m, "permute_columns", permute_columns<uint16_t>);
  define(m, "permute_columns", permute_columns<uint32_t>);
}
