// Chains of logistic regressions of binary labels: the equations are in chains.py.
//
// A label that is relevant adds its links to the log-odds of all that come after it, so that one
// step down the tree of prefixes is one addition of vectors.
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

#include "parallel.hpp"

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-12;  // what two sums of the same numbers may be apart
constexpr int64_t kRows = 8;         // of one thread before the next turn
constexpr int64_t kGlance = 256;     // prefixes between two looks at the clock

// log(1 + e^x)
inline double softplus(double x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

inline double log_odds_to_log_p(double z, int64_t value) { return -softplus(value ? -z : z); }

void check_shapes(Rows<double> base, Rows<double> links, Rows<int64_t> fixed) {
  const size_t n = base.shape(0), d = base.shape(1);
  if (links.shape(0) != d || links.shape(1) != d || fixed.shape(0) != n || fixed.shape(1) != d)
    throw nb::value_error("base, links and fixed differ in shape");
}

// What the labels from `from` on can add to the log-odds of each label, at least and at most.
struct Reach {
  int64_t d;
  std::vector<double> low, high;  // (d + 1, d)

  explicit Reach(Rows<double> links)
      : d(static_cast<int64_t>(links.shape(0))), low((d + 1) * d, 0.0), high((d + 1) * d, 0.0) {
    for (int64_t from = d; from-- > 0;)
      for (int64_t t = from + 1; t < d; ++t) {
        low[from * d + t] = low[(from + 1) * d + t] + std::min(links(from, t), 0.0);
        high[from * d + t] = high[(from + 1) * d + t] + std::max(links(from, t), 0.0);
      }
  }
};

// Depth-first search for the k best vectors of a row, likelier children first, without the prefixes
// that (2) excludes.
class Search {
 public:
  Search(Rows<double> links, const Reach &reach, int64_t k, int64_t most, double seconds)
      : links_(links), reach_(reach), d_(reach.d), k_(k), most_(most), seconds_(seconds),
        z_((d_ + 1) * d_), now_(d_), codes_(k * d_), log_p_(k), order_(k) {}

  void run(const double *base, const int64_t *fixed) {
    std::copy(base, base + d_, z_.begin());
    fixed_ = fixed;
    visited_ = 0, found_ = 0, bound_ = kNever, over_ = false;
    start_ = std::chrono::steady_clock::now();
    descend(0, 0.0);
    std::iota(order_.begin(), order_.begin() + found_, 0);
    std::sort(order_.begin(), order_.begin() + found_,
              [&](int64_t a, int64_t b) { return log_p_[a] > log_p_[b]; });
  }

  void take(int64_t *codes, double *log_p) const {
    for (int64_t i = 0; i < found_; ++i) {
      std::copy_n(codes_.begin() + order_[i] * d_, d_, codes + i * d_);
      log_p[i] = log_p_[order_[i]];
    }
  }

  double bound() const { return bound_; }
  int64_t visited() const { return visited_; }

 private:
  bool hopeless(double bound) const {
    return bound == kNever || (found_ == k_ && bound <= log_p_[worst_] + kRounding);
  }

  // No vector that begins like this is likelier than e to the answer: (2).
  double ahead(int64_t from, const double *z) const {
    const double *low = reach_.low.data() + from * d_, *high = reach_.high.data() + from * d_;
    double product = 1.0, sum = 0.0;
    for (int64_t t = from; t < d_; ++t) {
      const double least = z[t] + low[t], most = z[t] + high[t];
      if (fixed_[t] >= 0) {
        sum += softplus(fixed_[t] ? -most : least);
        continue;
      }
      product *= 1 + std::exp(-std::max(most, -least));
      if (product > 1e200) sum += std::log(product), product = 1.0;
    }
    return -(sum + std::log(product));
  }

  void descend(int64_t t, double log_p) {
    if (t == d_) return keep(log_p);
    if (visited_ >= most_ || (visited_ % kGlance == kGlance - 1 && late())) over_ = true;
    ++visited_;
    const double *z = z_.data() + t * d_;
    double own[2], bound[2];
    double *next = z_.data() + (t + 1) * d_;
    for (int64_t value = 0; value < 2; ++value) {
      own[value] = fixed_[t] >= 0 && fixed_[t] != value ? kNever
                                                         : log_p + log_odds_to_log_p(z[t], value);
      if (own[value] == kNever) {
        bound[value] = kNever;
        continue;
      }
      move(t, value, z, next);
      bound[value] = own[value] + ahead(t + 1, next);
    }
    const int64_t first = bound[1] > bound[0];
    for (int64_t turn = 0; turn < 2; ++turn) {
      const int64_t value = turn ? 1 - first : first;
      if (hopeless(bound[value])) continue;
      if (over_ && found_ > 0) {
        bound_ = std::max(bound_, bound[value]);
        continue;
      }
      now_[t] = value;
      move(t, value, z, next);
      descend(t + 1, own[value]);
    }
  }

  void move(int64_t t, int64_t value, const double *z, double *next) const {
    const double *link = links_.data() + t * d_;
    if (value)
      for (int64_t s = t + 1; s < d_; ++s) next[s] = z[s] + link[s];
    else
      std::copy(z + t + 1, z + d_, next + t + 1);
  }

  void keep(double log_p) {
    int64_t place = found_;
    if (found_ == k_) {
      if (log_p <= log_p_[worst_]) return;
      place = worst_;
    } else {
      ++found_;
    }
    std::copy(now_.begin(), now_.end(), codes_.begin() + place * d_);
    log_p_[place] = log_p;
    if (found_ == k_)
      worst_ = std::min_element(log_p_.begin(), log_p_.end()) - log_p_.begin();
  }

  bool late() const {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    return spent.count() > seconds_;
  }

  Rows<double> links_;
  const Reach &reach_;
  int64_t d_, k_, most_;
  double seconds_;
  std::vector<double> z_;    // (d + 1, d) log-odds of the labels to come, for each length of prefix
  std::vector<int64_t> now_;
  std::vector<int64_t> codes_;
  std::vector<double> log_p_;
  std::vector<int64_t> order_;
  const int64_t *fixed_ = nullptr;
  int64_t visited_ = 0, found_ = 0, worst_ = 0;
  double bound_ = kNever;
  bool over_ = false;
  std::chrono::steady_clock::time_point start_;
};

nb::tuple chain_best(Rows<double> base, Rows<double> links, Rows<int64_t> fixed, int64_t k,
                     int64_t most, double seconds, int threads) {
  check_shapes(base, links, fixed);
  if (k < 1) throw nb::value_error("there is no best vector among none");
  const size_t n = base.shape(0), d = base.shape(1), width = static_cast<size_t>(k);
  std::vector<int64_t> codes(n * width * d, 0), visited(n, 0);
  std::vector<double> log_p(n * width, kNever), bound(n, kNever);
  {
    nb::gil_scoped_release release;
    const Reach reach(links);
    parallel_for((n + kRows - 1) / kRows, threads, [&](int64_t part) {
      Search search(links, reach, k, most, seconds);
      for (size_t row = part * kRows; row < std::min<size_t>(n, (part + 1) * kRows); ++row) {
        search.run(base.data() + row * d, fixed.data() + row * d);
        search.take(codes.data() + row * width * d, log_p.data() + row * width);
        bound[row] = search.bound(), visited[row] = search.visited();
      }
    });
  }
  return nb::make_tuple(give(std::move(codes), {n, width, d}), give(std::move(log_p), {n, width}),
                        give(std::move(bound), {n}), give(std::move(visited), {n}));
}

constexpr size_t kMostLabels = 24;  // a table of their vectors is as large as memory

nb::ndarray<nb::numpy, double> chain_all(Rows<double> base, Rows<double> links,
                                         Rows<int64_t> fixed, int threads) {
  check_shapes(base, links, fixed);
  const size_t n = base.shape(0), d = base.shape(1);
  if (d > kMostLabels) throw nb::value_error("there are too many labels to list their vectors");
  std::vector<double> out(n << d);
  {
    nb::gil_scoped_release release;
    parallel_for(n, threads, [&](int64_t row) {
      std::vector<double> z((d + 1) * d);
      std::copy_n(base.data() + row * d, d, z.begin());
      double *all = out.data() + (static_cast<size_t>(row) << d);
      const auto descend = [&](auto &self, size_t t, size_t number, double log_p) -> void {
        if (t == d) {
          all[number] = log_p;
          return;
        }
        const double *now = z.data() + t * d, *link = links.data() + t * d;
        double *next = z.data() + (t + 1) * d;
        const int64_t only = fixed(row, t);
        const double one = -softplus(-now[t]), none = -softplus(now[t]);
        std::copy(now + t + 1, now + d, next + t + 1);
        self(self, t + 1, 2 * number, only == 1 ? kNever : log_p + none);
        for (size_t s = t + 1; s < d; ++s) next[s] = now[s] + link[s];
        self(self, t + 1, 2 * number + 1, only == 0 ? kNever : log_p + one);
      };
      descend(descend, 0, 0, 0.0);
    });
  }
  return give(std::move(out), {n, size_t{1} << d});
}

// Adds up all vectors of one row. A prefix hands back what its continuations weigh by how many
// relevant labels they bring, so that a label is credited once for each prefix, not for each vector.
class Sums {
 public:
  Sums(Rows<double> links, size_t d)
      : links_(links), d_(d), z_((d + 1) * d), below_(2 * (d + 1) * (d + 1)) {}

  // Fills (d, d + 1) `by_size` and returns the probability of what is fixed.
  double run(const double *base, const int64_t *fixed, double *by_size) {
    std::copy_n(base, d_, z_.begin());
    fixed_ = fixed, by_size_ = by_size;
    std::vector<double> all(d_ + 1);
    descend(0, 0, 1.0, all.data());
    double total = 0.0;
    for (double p : all) total += p;
    return total;
  }

 private:
  // `out` gets the d − t + 1 probabilities of so many more relevant labels.
  void descend(size_t t, size_t relevant, double p, double *out) {
    const size_t left = d_ - t;
    if (!(p > 0)) return static_cast<void>(std::fill_n(out, left + 1, 0.0));
    if (!left) return static_cast<void>(out[0] = p);
    const double *now = z_.data() + t * d_, *link = links_.data() + t * d_;
    const double e = std::exp(-std::abs(now[t])), likelier = 1 / (1 + e), other = e * likelier;
    const double one = fixed_[t] == 0 ? 0.0 : p * (now[t] > 0 ? likelier : other);
    const double none = fixed_[t] == 1 ? 0.0 : p * (now[t] > 0 ? other : likelier);
    double *credit = by_size_ + t * (d_ + 1) + relevant + 1;
    if (left == 1) {
      out[0] = none, out[1] = one, credit[0] += one;
      return;
    }
    double *next = z_.data() + (t + 1) * d_, *with = below_.data() + 2 * t * (d_ + 1);
    double *without = with + d_ + 1;
    std::copy(now + t + 1, now + d_, next + t + 1);
    descend(t + 1, relevant, none, without);
    for (size_t s = t + 1; s < d_; ++s) next[s] = now[s] + link[s];
    descend(t + 1, relevant + 1, one, with);
    out[0] = without[0], out[left] = with[left - 1];
    for (size_t s = 1; s < left; ++s) out[s] = without[s] + with[s - 1];
    for (size_t s = 0; s < left; ++s) credit[s] += with[s];
  }

  Rows<double> links_;
  size_t d_;
  std::vector<double> z_, below_;
  const int64_t *fixed_ = nullptr;
  double *by_size_ = nullptr;
};

nb::tuple chain_sums(Rows<double> base, Rows<double> links, Rows<int64_t> fixed, int threads) {
  check_shapes(base, links, fixed);
  const size_t n = base.shape(0), d = base.shape(1);
  if (d > kMostLabels) throw nb::value_error("there are too many labels to list their vectors");
  std::vector<double> total(n, 0.0), sizes(n * d * (d + 1), 0.0);
  {
    nb::gil_scoped_release release;
    parallel_for((n + kRows - 1) / kRows, threads, [&](int64_t part) {
      Sums sums(links, d);
      for (size_t row = part * kRows; row < std::min<size_t>(n, (part + 1) * kRows); ++row)
        total[row] = sums.run(base.data() + row * d, fixed.data() + row * d,
                              sizes.data() + row * d * (d + 1));
    });
  }
  return nb::make_tuple(give(std::move(total), {n}), give(std::move(sizes), {n, d, d + 1}));
}

nb::ndarray<nb::numpy, double> chain_log_prob(Rows<double> base, Rows<double> links,
                                              Rows<int64_t> codes, int64_t each, int threads) {
  const size_t n = base.shape(0), d = base.shape(1), m = codes.shape(0);
  if (each < 0 || links.shape(0) != d || links.shape(1) != d || codes.shape(1) != d ||
      m != n * static_cast<size_t>(each))
    throw nb::value_error("base, links and codes differ in shape");
  std::vector<double> out(m);
  {
    nb::gil_scoped_release release;
    parallel_for(n, threads, [&](int64_t row) {
      std::vector<double> z(d);
      for (size_t i = row * each; i < (row + 1) * static_cast<size_t>(each); ++i) {
        std::copy_n(base.data() + row * d, d, z.begin());
        double sum = 0.0;
        for (size_t t = 0; t < d; ++t) {
          sum += log_odds_to_log_p(z[t], codes(i, t));
          if (codes(i, t))
            for (size_t s = t + 1; s < d; ++s) z[s] += links(t, s);
        }
        out[i] = sum;
      }
    });
  }
  return give(std::move(out), {m});
}

nb::tuple chain_walk(Rows<double> base, Rows<double> links, Rows<int64_t> fixed,
                     nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu> uniform,
                     int threads) {
  check_shapes(base, links, fixed);
  const size_t n = base.shape(0), d = base.shape(1), size = uniform.shape(0);
  const size_t own = uniform.shape(1) == 1 ? 0 : 1;
  if (uniform.shape(2) != d || (own && uniform.shape(1) != n))
    throw nb::value_error("the uniform numbers are not as many as there are labels to draw");
  std::vector<int64_t> codes(size * n * d);
  std::vector<double> importance(size * n), means(n * d, 0.0);
  {
    nb::gil_scoped_release release;
    parallel_for(n, threads, [&](int64_t row) {
      std::vector<double> z(d);
      for (size_t i = 0; i < size; ++i) {
        const double *u = uniform.data() + (own ? (i * n + row) * d : i * d);
        int64_t *drawn = codes.data() + (i * n + row) * d;
        std::copy_n(base.data() + row * d, d, z.begin());
        double sum = 0.0;
        for (size_t t = 0; t < d; ++t) {
          const double e = std::exp(-std::abs(z[t])), likelier = 1 / (1 + e);
          double one = z[t] > 0 ? likelier : e * likelier, none = z[t] > 0 ? e * likelier : likelier;
          if (fixed(row, t) >= 0) {
            sum += log_odds_to_log_p(z[t], fixed(row, t));
            (fixed(row, t) ? none : one) = 0.0;
            drawn[t] = fixed(row, t);
          } else {
            drawn[t] = u[t] * (none + one) >= none;
          }
          means[row * d + t] += one;
          if (drawn[t])
            for (size_t s = t + 1; s < d; ++s) z[s] += links(t, s);
        }
        importance[i * n + row] = sum;
      }
      for (size_t t = 0; t < d && size; ++t) means[row * d + t] /= static_cast<double>(size);
    });
  }
  return nb::make_tuple(give(std::move(codes), {size, n, d}), give(std::move(importance), {size, n}),
                        give(std::move(means), {n, d}));
}

}  // namespace

void bind_chains(nb::module_ &m) {
  define(m, "chain_all", chain_all);
  define(m, "chain_best", chain_best);
  define(m, "chain_log_prob", chain_log_prob);
  define(m, "chain_sums", chain_sums);
  define(m, "chain_walk", chain_walk);
}
