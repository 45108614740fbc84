// Sums over orders whatever the numbers: m · 2^e with e apart, as the probabilities of sets may be
// far below the smallest number. Steps are products and sums, with one logarithm for each set.
#pragma once
#include <bit>
#include <cmath>
#include <limits>

#include "parallel.hpp"

constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr double kLog2 = 0.69314718055994530942;
constexpr int32_t kLowest = -(1 << 26);  // exponent of 0; sums of 32 of them do not overflow

// 2^e for e ≤ 0, and 0 where that is too small to matter beside 1.
inline double power(int32_t e) {
  return e < -1000 ? 0.0 : std::bit_cast<double>(static_cast<uint64_t>(e + 1023) << 52);
}

struct Scaled {
  double m = 0.0;
  int32_t e = kLowest;

  static Scaled exp(double x) {
    if (x == kNever) return {};
    const double whole = std::floor(x / kLog2);
    if (whole <= kLowest) return {};
    return {std::exp(x - whole * kLog2), static_cast<int32_t>(whole)};
  }
  // With m in [1/2, 1).
  Scaled even() const {
    if (!(m > 0)) return {};
    int shift;
    const double fraction = std::frexp(m, &shift);
    return {fraction, e + shift};
  }
  double log() const { return m > 0 ? std::log(m) + e * kLog2 : kNever; }
};

// Many of them, mantissas and exponents apart, so that loops run in vectors.
struct ScaledList {
  std::vector<double> m;
  std::vector<int32_t> e;

  explicit ScaledList(size_t n) : m(n, 0.0), e(n, kLowest) {}
  Scaled operator[](size_t i) const { return {m[i], e[i]}; }
  void set(size_t i, Scaled x) { m[i] = x.m, e[i] = x.e; }
};

// Σ_i a_i b_i over d entries, those left out having exponents of 0.
JB_CLONES static Scaled dot(const double *__restrict am, const int32_t *__restrict ae,
                     const double *__restrict bm, const int32_t *__restrict be, int32_t d) {
  int32_t top = 2 * kLowest;
  for (int32_t i = 0; i < d; ++i) top = ae[i] + be[i] > top ? ae[i] + be[i] : top;
  double sum = 0.0;
  for (int32_t i = 0; i < d; ++i) sum += am[i] * bm[i] * power(ae[i] + be[i] - top);
  return {sum, top};
}

// The subsets of s members of d labels, s of the d being numbered by bits. `links` says for each
// subset F and label y ∉ F what F adds: the product of exp(together) over F; 0 for y ∈ F.
struct Lattice {
  int32_t s, d;
  std::vector<int32_t> members;  // the label of each bit
  ScaledList links;              // (2^s, d)

  Lattice(Rows<double> together, std::vector<int32_t> of_bits)
      : s(static_cast<int32_t>(of_bits.size())), d(static_cast<int32_t>(together.shape(0))),
        members(std::move(of_bits)), links((size_t{1} << s) * d) {
    for (int32_t y = 0; y < d; ++y) links.set(y, {1.0, 0});
    ScaledList one(static_cast<size_t>(s) * d);
    for (int32_t b = 0; b < s; ++b)
      for (int32_t y = 0; y < d; ++y)
        if (y != members[b]) one.set(b * d + y, Scaled::exp(together(members[b], y)));
    for (size_t set = 1; set < size_t{1} << s; ++set) {
      const int b = std::countr_zero(set);
      const size_t to = set * d, from = (set & (set - 1)) * d;
      for (int32_t y = 0; y < d; ++y) {
        links.m[to + y] = links.m[from + y] * one.m[b * d + y];
        links.e[to + y] = std::max(kLowest, links.e[from + y] + one.e[b * d + y]);
      }
    }
  }

  // log P of all subsets of `most` members; `scores` are the exponentials of base.
  template <class Use> void sum(const ScaledList &scores, int32_t most, Use use) const {
    const size_t all = size_t{1} << s;
    ScaledList ratio(all);  // P(F) / Σ_{y ∉ F} of (1)
    for (size_t set = 0; set < all; ++set) {
      const int32_t size = std::popcount(set);
      if (size > most) continue;
      const Scaled p = set ? reached(scores, ratio, set) : Scaled{1.0, 0};
      if (size == most) {
        use(set, p.log());
        continue;
      }
      const Scaled z = dot(scores.m.data(), scores.e.data(), links.m.data() + set * d,
                           links.e.data() + set * d, d);
      if (z.m > 0) ratio.set(set, Scaled{p.m / z.m, p.e - z.e}.even());
    }
  }

 private:
  Scaled reached(const ScaledList &scores, const ScaledList &ratio, size_t set) const {  // (2)
    double m[64];
    int32_t e[64], n = 0, top = std::numeric_limits<int32_t>::min() / 2;
    for (size_t left = set; left; left &= left - 1, ++n) {
      const int b = std::countr_zero(left);
      const size_t before = set & ~(size_t{1} << b);
      const size_t y = members[b], link = before * d + y;
      m[n] = ratio.m[before] * scores.m[y] * links.m[link];
      e[n] = ratio.e[before] + scores.e[y] + links.e[link];
      if (m[n] > 0) top = std::max(top, e[n]);
    }
    double sum = 0.0;
    for (int32_t i = 0; i < n; ++i)
      if (m[i] > 0) sum += m[i] * power(e[i] - top);
    return Scaled{sum, top}.even();
  }
};

// exp(base + more) up to a factor, which (1) does not see.
inline ScaledList exponentials(const double *base, const double *more, int32_t d) {
  const auto sum = [&](int32_t y) { return base[y] + (more ? more[y] : 0.0); };
  double top = kNever;
  for (int32_t y = 0; y < d; ++y) top = std::max(top, sum(y));
  ScaledList out(d);
  for (int32_t y = 0; y < d; ++y)
    if (sum(y) > kNever) out.set(y, Scaled::exp(sum(y) - top));
  return out;
}
