// Pair counts by joint groups. As many features as fit are coded into one byte; one increment then
// counts a row for all pairs of features of two groups at once, in a table small enough to stay in
// cache, from which the pairs are marginalised.
#pragma once
#include <bit>
#include <cmath>

#include "coded_columns.hpp"

class JointGroups {
 public:
  struct Group {
    std::vector<int64_t> features;
    int64_t size = 1;  // joint values
    int shift() const { return std::bit_width(static_cast<uint64_t>(size - 1)); }
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
  }

  // Call add(i, j, counts) for every pair i, j of features and for i = j, where counts has
  // (C, slots of i, slots of j) cells and is to be added to what came before.
  template <class Add> void count(Add add) const {
    const int64_t G = static_cast<int64_t>(groups.size());
    std::vector<Pair> batch;
    int64_t cells = 0;
    for (int64_t a = 0; a < G; ++a)
      for (int64_t b = a + 1; b < G; ++b) {
        batch.push_back({a, b, cells});
        cells += size(batch.back());
        if (cells > BATCH || a + 2 == G) {
          count_batch(batch, cells, add);
          batch.clear();
          cells = 0;
        }
      }
  }

 private:
  struct Pair { int64_t a, b, start; };  // two groups, and where their table begins
  struct Coded {                         // one group, for a stretch of rows
    std::vector<uint8_t> code;
    std::vector<uint16_t> by_class;  // class * size + code
  };
  static constexpr int64_t BATCH = 1 << 22;  // cells counted in one pass over the rows
  static constexpr int64_t FULL = 65535;     // rows after which a 16-bit cell could overflow
  const Task &task_;

  // (C, size of a, size of b padded to a power of two)
  int64_t size(const Pair &p) const { return task_.C * groups[p.a].size << groups[p.b].shift(); }

  // Threads take stretches of rows and share the tables, each beginning with a pair of its own so
  // that they seldom wait for one another; then they take pairs of groups apart.
  template <class Add>
  void count_batch(const std::vector<Pair> &batch, int64_t cells, Add &add) const {
    const int64_t G = static_cast<int64_t>(groups.size()), n = task_.x.n;
    const int64_t step = std::clamp<int64_t>((32 << 20) / (3 * G), 4096, FULL);
    const int64_t stretches = (n + step - 1) / step, P = static_cast<int64_t>(batch.size());
    const int64_t crew = std::clamp<int64_t>(stretches, 1, task_.threads);
    std::atomic<int64_t> next{0};
    std::vector<uint32_t> tables(cells, 0);
    std::vector<std::mutex> adding(P);
    parallel_for(crew, task_.threads, [&](int64_t worker) {
      std::vector<Coded> coded(G);
      std::vector<uint16_t> hot;
      for (int64_t k; (k = next.fetch_add(1)) < stretches;) {
        const int64_t from = k * step, rows = std::min(step, n - from);
        for (int64_t g = batch.front().a; g < G; ++g) encode(groups[g], from, rows, coded[g]);
        for (int64_t turn = 0; turn < P; ++turn) {
          const int64_t q = (turn + worker * P / crew) % P;
          const Pair &p = batch[q];
          hot.assign(size(p), 0);
          histogram(coded[p.a], coded[p.b], rows, groups[p.b].shift(), hot.data());
          std::lock_guard<std::mutex> lock(adding[q]);
          uint32_t *table = tables.data() + p.start;
          for (size_t z = 0; z < hot.size(); ++z) table[z] += hot[z];
        }
      }
    });
    parallel_for(P, task_.threads, [&](int64_t k) {
      marginalise(batch[k].a, batch[k].b, tables.data() + batch[k].start, add);
    });
  }

  // Codes and class codes of a stretch, in blocks that stay in L1. Horner's rule, feature by feature.
  void encode(const Group &g, int64_t from, int64_t rows, Coded &out) const {
    constexpr int64_t BLOCK = 4096;
    out.code.resize(rows);
    out.by_class.resize(rows);
    uint16_t joint[BLOCK];
    for (int64_t start = 0; start < rows; start += BLOCK) {
      const int64_t size = std::min(BLOCK, rows - start);
      std::fill(joint, joint + size, uint16_t{0});
      task_.x.visit([&](const auto *x) {
        for (auto i = g.features.rbegin(); i != g.features.rend(); ++i)
          append(x + *i * task_.x.n + from + start, task_.slots[*i], size, joint);
      });
      uint8_t *code = out.code.data() + start;
      for (int64_t r = 0; r < size; ++r) code[r] = static_cast<uint8_t>(joint[r]);
      task_.y.visit([&](const auto *y) {
        prepend(y + from + start, g.size, size, joint, out.by_class.data() + start);
      });
    }
  }

  // Not inlined: there the compiler would forget that the arrays do not overlap (twice the time).
  template <class T>
  [[gnu::noinline]] static void append(const T *__restrict x, int64_t slots, int64_t n,
                                       uint16_t *__restrict joint) {
    const auto times = static_cast<uint16_t>(slots);
    for (int64_t r = 0; r < n; ++r)
      joint[r] = static_cast<uint16_t>(joint[r] * times + static_cast<uint16_t>(x[r]));
  }

  template <class T>
  [[gnu::noinline]] static void prepend(const T *__restrict y, int64_t size, int64_t n,
                                        const uint16_t *__restrict joint,
                                        uint16_t *__restrict out) {
    const auto times = static_cast<uint16_t>(size);
    for (int64_t r = 0; r < n; ++r)
      out[r] = static_cast<uint16_t>(static_cast<uint16_t>(y[r]) * times + joint[r]);
  }

  static void histogram(const Coded &a, const Coded &b, int64_t rows, int shift, uint16_t *cells) {
    const uint16_t *x = a.by_class.data();
    const uint8_t *z = b.code.data();
    auto at = [&](int64_t r) { return static_cast<uint32_t>(x[r]) << shift | z[r]; };
    int64_t r = 0;
    for (; r + 4 <= rows; r += 4) {  // addresses first: they do not wait for the increments
      const uint32_t i = at(r), j = at(r + 1), k = at(r + 2), l = at(r + 3);
      ++cells[i], ++cells[j], ++cells[k], ++cells[l];
    }
    for (; r < rows; ++r) ++cells[at(r)];
  }

  // Sum rows over all but one feature of a, then columns over all but one feature of b.
  template <class Add>
  void marginalise(int64_t ia, int64_t ib, const uint32_t *joint, Add &add) const {
    const Group &a = groups[ia], &b = groups[ib];
    const int64_t stride = int64_t{1} << b.shift(), C = task_.C;
    std::vector<uint32_t> sums;
    std::vector<uint64_t> counts;
    for (size_t m = 0; m < a.features.size(); ++m) {
      const int64_t S = task_.slots[a.features[m]];
      sums.assign(C * S * stride, 0);
      for (int64_t c = 0; c < C; ++c)
        for (int64_t k = 0; k < a.size; ++k) {
          const uint32_t *from = joint + (c * a.size + k) * stride;
          uint32_t *to = sums.data() + (c * S + a.part(task_, m, k)) * stride;
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
