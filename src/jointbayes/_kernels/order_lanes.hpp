// Sums over orders in plain numbers, for several rows or sizes at a time: one in each lane. A lane
// does not see the others, so that an answer does not depend on what it is computed with.
//
// Sets are visited in the order of their numbers, so that subsets come first; every set F hands
// P(F) p(y | F) on to F ∪ y. What F adds to label y is a product over two halves of F, which need
// small tables only.
#pragma once
#include <bit>
#include <cmath>
#include <limits>

#include "parallel.hpp"

constexpr int kLanes = 8;
constexpr int kMostLabels = 24;  // a table of their sets is as large as memory
constexpr double kPlain = 600.0;  // e^±600 are numbers like others

// exp of the sums of `together` over the members of either half of a set; bit b is label d − 1 − b.
struct Links {
  int d, low;                        // the lower half has so many bits
  std::vector<double> lower, upper;  // (2^low, d) and (2^(d − low), d)
  double spread = 0.0;               // between the logarithms of any two products

  explicit Links(Rows<double> together)
      : d(static_cast<int>(together.shape(0))), low((d + 1) / 2),
        lower(products(together, 0, low)), upper(products(together, low, d)) {
    double least = 0.0, most = 0.0;
    for (int y = 0; y < d; ++y) {
      double down = 0.0, up = 0.0;
      for (int x = 0; x < d; ++x)
        if (const double more = together(x, y); x != y && std::isfinite(more))
          (more < 0 ? down : up) += more;
      least = std::min(least, down), most = std::max(most, up);
    }
    spread = most - least;
  }

 private:
  std::vector<double> products(Rows<double> together, int from, int to) const {
    std::vector<double> out(size_t(d) << (to - from), 1.0);
    for (size_t set = 1; set < size_t{1} << (to - from); ++set) {
      const int added = from + std::countr_zero(set);
      const double *without = out.data() + (set & (set - 1)) * d;
      const double *more = together.data() + (d - 1 - added) * d;
      for (int b = 0; b < d; ++b)
        out[set * d + b] = b == added ? 0.0 : without[b] * std::exp(more[d - 1 - b]);
    }
    return out;
  }
};

// P of all sets of up to `top` labels into p (2^d, lanes); scores (d, lanes) are those of the bits.
JB_CLONES static void reach_sets(const Links &links, const double *__restrict scores, int top,
                                 double *__restrict p) {
  const int d = links.d;
  const uint32_t all = (uint32_t{1} << d) - 1, end = uint32_t{1} << links.low;
  double above[kMostLabels * kLanes], next[kMostLabels * kLanes];
  for (int l = 0; l < kLanes; ++l) p[l] = 1.0;
  for (uint32_t high = 0; high < uint32_t{1} << (d - links.low); ++high) {
    const int most = top - 1 - std::popcount(high);  // members in the lower half that may be joined
    if (most < 0) continue;
    for (int b = 0; b < d; ++b)
      for (int l = 0; l < kLanes; ++l)
        above[b * kLanes + l] = scores[b * kLanes + l] * links.upper[high * d + b];
    for (uint32_t lower = 0; lower < end;) {
      const uint32_t set = high << links.low | lower, rest = all & ~set;
      const double *link = links.lower.data() + size_t{lower} * d, *here = p + size_t{set} * kLanes;
      double total[kLanes] = {}, ratio[kLanes];
      for (uint32_t left = rest; left; left &= left - 1) {
        const int b = std::countr_zero(left);
        for (int l = 0; l < kLanes; ++l) {
          next[b * kLanes + l] = above[b * kLanes + l] * link[b];
          total[l] += next[b * kLanes + l];
        }
      }
      for (int l = 0; l < kLanes; ++l) ratio[l] = total[l] > 0 ? here[l] / total[l] : 0.0;
      const uint32_t inner = std::bit_floor(set) ? std::bit_floor(set) - 1 : 0;
      for (uint32_t left = rest & inner; left; left &= left - 1) {
        const int b = std::countr_zero(left);
        double *to = p + size_t{set | uint32_t{1} << b} * kLanes;
        for (int l = 0; l < kLanes; ++l) to[l] += next[b * kLanes + l] * ratio[l];
      }
      for (uint32_t left = rest & ~inner; left; left &= left - 1) {  // nobody was there before
        const int b = std::countr_zero(left);
        double *to = p + size_t{set | uint32_t{1} << b} * kLanes;
        for (int l = 0; l < kLanes; ++l) to[l] = next[b * kLanes + l] * ratio[l];
      }
      if (std::popcount(lower) < most) ++lower;
      else lower += lower ? lower & -lower : end;  // those between are too large
    }
  }
}

// The sets of so many of d labels, in the order of their numbers.
template <class Use> void sets_of(int size, int d, Use use) {
  if (size == 0) return use(uint32_t{0});
  for (uint32_t set = (uint32_t{1} << size) - 1; set < uint32_t{1} << d;) {
    use(set);
    const uint32_t lowest = set & -set, carried = set + lowest;
    set = carried | ((set ^ carried) / lowest >> 2);
  }
}
