// Drawing from hypergeometric distributions: how many of `a` draws from an urn with `n` balls, `b` of
// them red, are red. A uniform number u picks the value at which the sum of probabilities passes u
// when values are taken outward from the mode: mode, mode + 1, mode − 1, mode + 2, …
#pragma once
#include <bit>
#include <cmath>

#include "parallel.hpp"

struct Logs {
  const double *factorial, *xlogx;  // log n! and n log n
};

// One urn. Probabilities are worked out only as far as they are asked for, and kept while the same
// urn is drawn from again.
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

// exp(x) for x in [−700, 0], to the last bit or two, in operations that a compiler can do for many
// numbers at once: x = k log 2 + r, and the series of exp(r).
inline double exp_below(double x) {
  constexpr double kShift = 0x1.8p52;  // adding it rounds to a whole number, kept in the low bits
  const double shifted = x * 0x1.71547652b82fep+0 + kShift, k = shifted - kShift;
  const double r = (x - k * 0x1.62e42fefa0000p-1) - k * 0x1.cf79abc9e3b3ap-40;
  double sum = 1.0 / 6227020800.0;
  for (double d : {1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
                   1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0})
    sum = sum * r + d;
  const int64_t power = std::bit_cast<int64_t>(shifted) - std::bit_cast<int64_t>(kShift) + 1023;
  return sum * std::bit_cast<double>(power << 52);
}

constexpr int kLanes = 8;

// Eight urns drawn from at once, each with its own u.
struct Urns {
  double u[kLanes];
  int32_t a[kLanes], b[kLanes], n[kLanes], drawn[kLanes];
};

// All sums go one value up and one value down, in step, until each has passed its u. From one value
// to the next P(v + 1) / P(v) = (a − v) (b − v) / ((v + 1) (n − a − b + v + 1)); beyond the last one
// it is 0 and stays so.
JB_CLONES void draw_urns(Urns &urns, const Logs &log) {
  const double *f = log.factorial;
  double mode[kLanes], p_up[kLanes], p_down[kLanes], passed[kLanes], steps[kLanes], left[kLanes];
  double a[kLanes], b[kLanes], rest[kLanes];  // those of the urn less the mode, n − a − b plus it
  for (int l = 0; l < kLanes; ++l)
    mode[l] = std::floor((urns.a[l] + 1.0) * (urns.b[l] + 1.0) / (urns.n[l] + 2.0));
  for (int l = 0; l < kLanes; ++l) {
    const int32_t x = urns.a[l], y = urns.b[l], n = urns.n[l], m = static_cast<int32_t>(mode[l]);
    passed[l] = f[x] + f[n - x] + f[y] + f[n - y] - f[n] - f[m] - f[x - m] - f[y - m] -
                f[n - x - y + m];
  }
  for (int l = 0; l < kLanes; ++l) {
    p_up[l] = p_down[l] = passed[l] = exp_below(passed[l]);
    a[l] = urns.a[l] - mode[l], b[l] = urns.b[l] - mode[l];
    rest[l] = urns.n[l] - urns.a[l] - b[l];
    steps[l] = urns.u[l] >= passed[l] ? 1.0 : 0.0;
  }
  const double *u = urns.u;
  double open = 1;
  for (double k = 0; open > 0; ++k) {
    for (int l = 0; l < kLanes; ++l) {
      p_up[l] *= (a[l] - k) * (b[l] - k) / ((mode[l] + k + 1) * (rest[l] + k + 1));
      p_down[l] *= (mode[l] - k) * (rest[l] - k) / ((a[l] + k + 1) * (b[l] + k + 1));
      const double above = passed[l] + p_up[l], both = above + p_down[l];
      steps[l] += (u[l] >= above ? 1.0 : 0.0) + (u[l] >= both ? 1.0 : 0.0);
      left[l] = u[l] >= both ? p_up[l] + p_down[l] : 0.0;  // 0 if the sum falls short of one
      passed[l] = both;
    }
    open = 0;
    for (int l = 0; l < kLanes; ++l) open += left[l];
  }
  for (int l = 0; l < kLanes; ++l) {
    const int64_t m = static_cast<int64_t>(mode[l]), t = static_cast<int64_t>(steps[l]);
    const int64_t low = std::max<int64_t>(0, urns.a[l] + urns.b[l] - urns.n[l]);
    const int64_t value = t % 2 ? m + (t + 1) / 2 : m - t / 2;
    urns.drawn[l] = static_cast<int32_t>(
        std::clamp<int64_t>(value, low, std::min(urns.a[l], urns.b[l])));
  }
}
