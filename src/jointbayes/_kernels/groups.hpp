// Pair counts by joint groups. As many features as fit are coded into one byte; one increment then
// counts a row for all pairs of features of two groups at once, in a table small enough to stay in
// cache, from which the pairs are marginalised.
#pragma once
#include <cmath>

#include "columns.hpp"

class JointGroups {
 public:
  struct Group {
    std::vector<int64_t> features;
    int64_t size = 1;                 // joint values
    std::vector<uint8_t> code;        // of each row
    std::vector<uint16_t> by_class;   // of each row: class * size + code
    // Of a joint value, the code of the m-th feature.
    int64_t part(const Task &task, size_t m, int64_t joint) const {
      for (size_t k = 0; k < m; ++k) joint /= task.slots[features[k]];
      return joint % task.slots[features[m]];
    }
  };
  std::vector<Group> groups;

  // Group sizes are limited so that the table of two groups by class has at most 2^17 cells.
  static int64_t limit(int64_t C) {
    return std::min<int64_t>(256, static_cast<int64_t>(std::sqrt(131072.0 / C)));
  }

  // First fit, largest features first.
  static std::vector<Group> plan(const Task &task, std::vector<int64_t> features) {
    std::stable_sort(features.begin(), features.end(),
                     [&](int64_t i, int64_t j) { return task.slots[i] > task.slots[j]; });
    std::vector<Group> groups;
    const int64_t most = limit(task.C);
    for (int64_t i : features) {
      auto fits = [&](const Group &g) { return g.size * task.slots[i] <= most; };
      auto g = std::find_if(groups.begin(), groups.end(), fits);
      if (g == groups.end()) g = groups.emplace(groups.end());
      g->features.push_back(i);
      g->size *= task.slots[i];
    }
    return groups;
  }

  JointGroups(const Task &task, const std::vector<int64_t> &features)
      : groups(plan(task, features)), task_(task) {
    if (groups.size() == 1) groups.emplace_back();  // alone, it is counted against nothing
    parallel_for(groups.size(), task.threads, [&](int64_t g) { encode(groups[g]); });
  }

  // Call add(i, j, counts) for every pair i, j of features and for i = j, where counts has
  // (C, slots of i, slots of j) cells and is to be added to what came before.
  template <class Add> void count(Add add) const {
    const int64_t G = static_cast<int64_t>(groups.size()), pairs = G * (G - 1) / 2;
    const int64_t wanted = pairs < 8 * task_.threads ? (8 * task_.threads) / pairs : 1;
    const int64_t step = std::max<int64_t>(FULL, (task_.x.n / wanted / FULL + 1) * FULL);
    const int64_t parts = std::max<int64_t>(1, (task_.x.n + step - 1) / step);
    std::vector<std::pair<int64_t, int64_t>> pair;
    for (int64_t a = 0; a < G; ++a)
      for (int64_t b = a + 1; b < G; ++b) pair.emplace_back(a, b);
    parallel_for(pairs * parts, task_.threads, [&](int64_t t) {
      const auto [a, b] = pair[t / parts];
      const int64_t from = t % parts * step;
      const auto joint = histogram(groups[a], groups[b], from, std::min(task_.x.n, from + step));
      marginalise(a, b, joint, add);
    });
  }

 private:
  static constexpr int64_t FULL = 65535;  // rows after which a 16-bit cell could overflow
  const Task &task_;

  void encode(Group &g) {
    const int64_t n = task_.x.n;
    g.code.assign(n, 0);
    g.by_class.resize(n);
    task_.x.visit([&](const auto *x) {
      constexpr int64_t BLOCK = 4096;
      for (int64_t from = 0; from < n; from += BLOCK) {
        const int64_t to = std::min(n, from + BLOCK);
        int64_t scale = 1;
        for (int64_t i : g.features) {
          const auto *column = x + i * n;
          const auto times = static_cast<uint8_t>(scale);
          for (int64_t r = from; r < to; ++r)
            g.code[r] += static_cast<uint8_t>(times * static_cast<uint8_t>(column[r]));
          scale *= task_.slots[i];
        }
        const auto size = static_cast<uint16_t>(g.size);
        for (int64_t r = from; r < to; ++r)
          g.by_class[r] = static_cast<uint16_t>(static_cast<uint16_t>(task_.y(r)) * size + g.code[r]);
      }
    });
  }

  // (C, size of a, size of b padded to a power of two) rows.
  std::vector<uint32_t> histogram(const Group &a, const Group &b, int64_t from, int64_t to) const {
    const int shift = width(b);
    const int64_t cells = (task_.C * a.size) << shift;
    std::vector<uint16_t> hot(cells, 0);
    std::vector<uint32_t> all(cells, 0);
    for (int64_t start = from; start < to; start += FULL) {
      const int64_t stop = std::min(to, start + FULL);
      const uint16_t *x = a.by_class.data();
      const uint8_t *z = b.code.data();
      uint16_t *h = hot.data();
      for (int64_t r = start; r < stop; ++r) ++h[(static_cast<uint32_t>(x[r]) << shift) | z[r]];
      for (int64_t k = 0; k < cells; ++k) all[k] += hot[k];
      std::fill(hot.begin(), hot.end(), 0);
    }
    return all;
  }

  static int width(const Group &g) {
    int bits = 0;
    while ((int64_t{1} << bits) < g.size) ++bits;
    return bits;
  }

  // Sum rows over all but one feature of a, then columns over all but one feature of b.
  template <class Add>
  void marginalise(int64_t ia, int64_t ib, const std::vector<uint32_t> &joint, Add &add) const {
    const Group &a = groups[ia], &b = groups[ib];
    const int64_t stride = int64_t{1} << width(b), C = task_.C;
    std::vector<uint64_t> sums, counts;
    for (size_t m = 0; m < a.features.size(); ++m) {
      const int64_t S = task_.slots[a.features[m]];
      sums.assign(C * S * stride, 0);
      for (int64_t c = 0; c < C; ++c)
        for (int64_t k = 0; k < a.size; ++k) {
          const uint32_t *from = joint.data() + (c * a.size + k) * stride;
          uint64_t *to = sums.data() + (c * S + a.part(task_, m, k)) * stride;
          for (int64_t w = 0; w < b.size; ++w) to[w] += from[w];
        }
      for (size_t l = 0; l < b.features.size(); ++l) {
        const int64_t T = task_.slots[b.features[l]];
        counts.assign(C * S * T, 0);
        for (int64_t w = 0; w < b.size; ++w) {
          const int64_t v = b.part(task_, l, w);
          for (int64_t k = 0; k < C * S; ++k) counts[k * T + v] += sums[k * stride + w];
        }
        add(a.features[m], b.features[l], counts);
      }
    }
    // Pairs inside a group, from one of its tables: each a's with its successor, the last with 0.
    if (ib == ia + 1) {
      counts.assign(C * a.size, 0);
      for (int64_t k = 0; k < C * a.size; ++k)
        for (int64_t w = 0; w < b.size; ++w) counts[k] += joint[k * stride + w];
      within(a, counts, add);
    }
    if (ia == 0 && ib + 1 == static_cast<int64_t>(groups.size())) {
      counts.assign(C * b.size, 0);
      for (int64_t c = 0; c < C; ++c)
        for (int64_t k = 0; k < a.size; ++k)
          for (int64_t w = 0; w < b.size; ++w)
            counts[c * b.size + w] += joint[(c * a.size + k) * stride + w];
      within(b, counts, add);
    }
  }

  template <class Add>
  void within(const Group &g, const std::vector<uint64_t> &joint, Add &add) const {
    std::vector<uint64_t> counts;
    for (size_t m = 0; m < g.features.size(); ++m)
      for (size_t l = m; l < g.features.size(); ++l) {
        const int64_t S = task_.slots[g.features[m]], T = task_.slots[g.features[l]];
        counts.assign(task_.C * S * T, 0);
        for (int64_t c = 0; c < task_.C; ++c)
          for (int64_t k = 0; k < g.size; ++k)
            counts[(c * S + g.part(task_, m, k)) * T + g.part(task_, l, k)] +=
                joint[c * g.size + k];
        add(g.features[m], g.features[l], counts);
      }
  }
};
