// Conditional G² of many columns with one target, and its permutations drawn as tables.
#include "parallel.hpp"
#include "random.hpp"
#include "urns.hpp"

namespace {

// One column's table with the target inside one stratum, without its empty rows and columns.
struct Crosstab {
  int64_t total = 0;
  std::vector<int64_t> cells, rows, columns;

  template <class T>
  void count(const T *x, int64_t k_x, const uint32_t *y, int64_t k_y, const int64_t *order,
             int64_t size) {
    total = size;
    cells.assign(k_x * k_y, 0), rows.assign(k_x, 0), columns.assign(k_y, 0);
    for (int64_t r = 0; r < size; ++r) ++cells[x[order[r]] * k_y + y[order[r]]];
    for (int64_t i = 0; i < k_x; ++i)
      for (int64_t j = 0; j < k_y; ++j) {
        rows[i] += cells[i * k_y + j];
        columns[j] += cells[i * k_y + j];
      }
    int64_t *kept = cells.data();
    for (int64_t i = 0; i < k_x; ++i)
      for (int64_t j = 0; j < k_y; ++j)
        if (rows[i] && columns[j]) *kept++ = cells[i * k_y + j];
    cells.resize(kept - cells.data());
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
  const int64_t n_strata = static_cast<int64_t>(starts.shape(0)) - 1;
  const Logs log{tables.data(), tables.data() + tables.shape(1)};
  const int64_t k_y = width(target.data(), n);
  std::vector<double> out(6 * p);
  {
    nb::gil_scoped_release release;
    parallel_for(p, threads, [&](int64_t c) {
      std::vector<Part> parts;
      Urn urn;
      Answer answer;
      Crosstab table;
      const T *x = columns.data() + c * n;
      const int64_t k_x = width(x, n);
      for (int64_t s = 0; s < n_strata; ++s) {
        table.count(x, k_x, target.data(), k_y, order.data() + starts(s),
                    starts(s + 1) - starts(s));
        const size_t dof = (table.rows.size() - 1) * (table.columns.size() - 1);
        if (!dof) continue;
        const double margins = table.margins(log.xlogx);
        answer.g2 += 2 * (table.cell_sum(log.xlogx) + margins);
        answer.dof += static_cast<double>(dof);
        answer.log_probability -= table.margins(log.factorial) + table.cell_sum(log.factorial);
        if (!n_permutations) answer.mean += 2 * (table.mean_cell_sum(urn, log) + margins);
        parts.push_back({table.key(stream(seed, s)), table, margins});
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
  m.def("permute_columns", &permute_columns<uint8_t>);
  m.def("permute_columns", &permute_columns<uint16_t>);
  m.def("permute_columns", &permute_columns<uint32_t>);
}
