// Conditional G² of many columns with one target, and its permutations drawn as tables.
#include <cmath>

#include "parallel.hpp"
#include "random.hpp"

namespace {

struct Logs {
  const double *factorial, *xlogx;  // log n! and n log n
};

// The hypergeometric distribution H(a, b, n), its values outward from the mode. Probabilities are
// worked out only as far as they are asked for, and kept while the same urn is drawn from again.
class Urn {
 public:
  int64_t draw(double u, int64_t a, int64_t b, int64_t n, const Logs &log) {
    if (a != a_ || b != b_ || n != n_) fill(a, b, n, log);
    for (size_t k = 0; k < values_.size() || extend(); ++k)
      if (u < passed_[k]) return values_[k];
    return values_.back();  // the sum fell short of one by rounding
  }

  // The mean of n log n, as far out as it can matter.
  double mean(int64_t a, int64_t b, int64_t n, const Logs &log) {
    fill(a, b, n, log);
    double sum = p_up_ * log.xlogx[up_];
    while (p_up_ + p_down_ > 1e-20)
      if (const double p = extend())
        sum += p * log.xlogx[values_.back()];
      else
        break;
    return sum;
  }

 private:
  void fill(int64_t a, int64_t b, int64_t n, const Logs &log) {
    a_ = a, b_ = b, n_ = n, rest_ = n - a - b;
    low_ = std::max<int64_t>(0, -rest_), high_ = std::min(a, b);
    const int64_t m = up_ = down_ = (a + 1) * (b + 1) / (n + 2);
    const double *f = log.factorial;
    p_up_ = p_down_ = std::exp(f[a] + f[n - a] + f[b] + f[n - b] - f[n] - f[m] - f[a - m] -
                               f[b - m] - f[rest_ + m]);
    values_.assign(1, m);
    passed_.assign(1, p_up_);
  }

  // Go one value further out, and return its probability; 0 when there is none left.
  double extend() {
    double p;
    if (up_ < high_ && (up_ - values_[0] <= values_[0] - down_ || down_ == low_)) {
      p = p_up_ *= double((a_ - up_) * (b_ - up_)) / double((up_ + 1) * (rest_ + up_ + 1));
      values_.push_back(++up_);
    } else if (down_ > low_) {
      p = p_down_ *= double(down_ * (rest_ + down_)) / double((a_ - down_ + 1) * (b_ - down_ + 1));
      values_.push_back(--down_);
    } else {
      return 0.0;
    }
    passed_.push_back(passed_.back() + p);
    return p;
  }

  int64_t a_ = -1, b_ = -1, n_ = -1, rest_ = 0, low_ = 0, high_ = 0, up_ = 0, down_ = 0;
  double p_up_ = 0, p_down_ = 0;
  std::vector<int64_t> values_;
  std::vector<double> passed_;
};

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

  // Eq. 2: the sum over the cells of one permuted table.
  double drawn_cell_sum(uint64_t key, std::vector<Urn> &urns, std::vector<int64_t> &left,
                        const Logs &log) const {
    if (rows.size() == 2 && columns.size() == 2) {  // one cell gives the other three
      const int64_t a = rows[0], b = columns[0], n = urns[0].draw(uniform(key, 0), a, b, total, log);
      const double *f = log.xlogx;
      return f[n] + f[a - n] + (f[b - n] + f[total - a - b + n]);
    }
    double sum = 0.0;
    int64_t all = total;
    size_t cell = 0;
    left = columns;
    for (size_t i = 0; i + 1 < rows.size(); ++i) {
      int64_t row = rows[i], ahead = all;
      for (size_t j = 0; j + 1 < columns.size(); ++j, ++cell) {
        const int64_t n = urns[cell].draw(uniform(key, cell), row, left[j], ahead, log);
        sum += log.xlogx[n];
        ahead -= left[j], row -= n, left[j] -= n;
      }
      sum += log.xlogx[row];
      left.back() -= row;
      all -= rows[i];
    }
    for (int64_t n : left) sum += log.xlogx[n];
    return sum;
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
             std::vector<Urn> &urns, const Logs &log, Answer &answer) {
  const double limit = answer.g2 - kTie * std::max(1.0, answer.g2);
  std::vector<double> permuted;
  std::vector<int64_t> left;
  double sum = 0.0;
  int64_t drawn = 0, reached = 0;
  while (drawn < n_permutations && (!enough || reached < enough)) {
    permuted.assign(std::min(n_permutations - drawn, kBatch), 0.0);
    for (const Part &part : parts) {
      for (size_t b = 0; b < permuted.size(); ++b)
        permuted[b] += 2 * (part.margins + part.table.drawn_cell_sum(stream(part.key, drawn + b),
                                                                     urns, left, log));
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
      std::vector<Urn> urns(1);
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
        if (!n_permutations) answer.mean += 2 * (table.mean_cell_sum(urns[0], log) + margins);
        if (urns.size() < dof) urns.resize(dof);
        parts.push_back({table.key(stream(seed, s)), table, margins});
      }
      if (n_permutations) permute(parts, n_permutations, enough, urns, log, answer);
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
