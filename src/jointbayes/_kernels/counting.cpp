// Class-conditional counts of coded columns: one feature, and pairs of features.
#include "bits.hpp"
#include "groups.hpp"

namespace {

using Offsets = Vector<int64_t>;

std::vector<double> singles(const Task &task, const std::vector<double> &n_c) {
  std::vector<double> out(task.C * task.V, 0.0);
  const double *weight = task.weights ? task.weights->data() : nullptr;
  const int64_t n = task.x.n;
  parallel_for(task.x.p, task.threads, [&](int64_t i) {
    const int64_t k = task.card(i), width = k + 1;
    std::vector<double> cells(task.C * width, 0.0);
    task.both([&](const auto *codes, const auto *y) {
      const auto *x = codes + i * n;
      if (task.x.sparse()) {
        const int64_t rest = task.x.default_code(i);
        for (int64_t c = 0; c < task.C; ++c) cells[c * width + rest] = n_c[c];
        for (int64_t e = task.x.begin(i); e < task.x.end(i); ++e) {
          const int64_t r = task.x.rows()[e];
          const double w = weight ? weight[r] : 1.0;
          cells[y[r] * width + rest] -= w;
          cells[y[r] * width + codes[e]] += w;
        }
        // Where weights are not whole, what is left of them may fall short of zero.
        for (int64_t c = 0; c < task.C; ++c)
          cells[c * width + rest] = std::max(0.0, cells[c * width + rest]);
      } else if (weight) {
        for (int64_t r = 0; r < n; ++r) cells[y[r] * width + x[r]] += weight[r];
      } else {
        const auto whole = Task::histogram(n, task.C * width,
                                           [&](int64_t r) { return y[r] * width + x[r]; });
        std::copy(whole.begin(), whole.end(), cells.begin());
      }
    });
    for (int64_t c = 0; c < task.C; ++c)
      std::copy_n(cells.data() + c * width, k, out.data() + c * task.V + task.offset[i]);
  });
  return out;
}

// Write (or add) the values of a table of (C, rows, columns) cells into both halves of the answer.
struct PairSink {
  const Task &task;
  double *out;

  template <class T>
  void put(int64_t c, int64_t i, int64_t j, const T *cells, int64_t columns, bool add) const {
    const int64_t V = task.V, ki = task.card(i), kj = task.card(j);
    double *block = out + (c * V + task.offset[i]) * V + task.offset[j];
    double *mirror = out + (c * V + task.offset[j]) * V + task.offset[i];
    for (int64_t a = 0; a < ki; ++a)
      for (int64_t b = 0; b < kj; ++b) {
        const double total =
            static_cast<double>(cells[a * columns + b]) + (add ? block[a * V + b] : 0.0);
        block[a * V + b] = total;
        mirror[b * V + a] = total;
      }
  }
};

void pairs_by_bits(const Task &task, const std::vector<int64_t> &features, const PairSink &sink) {
  const BitRows rows(task, features);
  const int64_t B = static_cast<int64_t>(rows.bands.size());
  parallel_for(B * B, task.threads, [&](int64_t t) {
    const auto &I = rows.bands[t / B], &J = rows.bands[t % B];
    if (t / B > t % B) return;
    std::vector<uint64_t> counts(I.padded() * J.padded());
    PairTable table;
    for (int64_t c = 0; c < task.C; ++c) {
      rows.count(I, J, c, counts.data());
      for (const auto &a : I.members)
        for (const auto &b : J.members) {
          if (&I == &J && b.row < a.row) continue;
          table.fill(I, a, J, b, c, task, counts.data());
          sink.put(c, a.feature, b.feature, table.cells.data(), b.slots, false);
        }
    }
  });
}

void pairs_by_groups(const Task &task, const std::vector<int64_t> &features, const PairSink &sink) {
  const JointGroups groups(task, features);
  std::mutex adding;  // of whole numbers, so the order does not matter
  groups.count([&](int64_t i, int64_t j, const std::vector<uint64_t> &cells) {
    const int64_t S = task.slots[i], T = task.slots[j];
    std::lock_guard<std::mutex> lock(adding);
    for (int64_t c = 0; c < task.C; ++c) sink.put(c, i, j, cells.data() + c * S * T, T, true);
  });
}

// One pair at a time, rows in their order: for weights, and for features of many values.
void pairs_one_by_one(const Task &task, const std::vector<std::pair<int64_t, int64_t>> &pairs,
                      const PairSink &sink) {
  const int64_t n = task.x.n, V = task.V;
  parallel_for(pairs.size(), task.threads, [&](int64_t t) {
    const auto [i, j] = pairs[t];
    const int64_t S = task.slots[i], T = task.slots[j], cells = task.C * S * T;
    task.both([&, i = i, j = j](const auto *codes, const auto *y) {
      const auto *a = codes + i * n, *b = codes + j * n;
      auto weight = [&](int64_t r) { return task.weights ? (*task.weights)(r) : 1.0; };
      if (cells <= 4 * n + 65536) {
        std::vector<double> table(cells, 0.0);
        for (int64_t r = 0; r < n; ++r) table[(y[r] * S + a[r]) * T + b[r]] += weight(r);
        for (int64_t c = 0; c < task.C; ++c) sink.put(c, i, j, table.data() + c * S * T, T, false);
        return;
      }
      const int64_t ki = task.card(i), kj = task.card(j);
      for (int64_t r = 0; r < n; ++r) {
        if (a[r] >= ki || b[r] >= kj) continue;
        const int64_t v = task.offset[i] + a[r], w = task.offset[j] + b[r];
        const double total = sink.out[(y[r] * V + v) * V + w] + weight(r);
        sink.out[(y[r] * V + v) * V + w] = sink.out[(y[r] * V + w) * V + v] = total;
      }
    });
  });
}

// Both designs read every code; then bits cost words, and groups increments and tables to sum up.
// In nanoseconds, as measured on one core.
bool groups_are_cheaper(const Task &task, const std::vector<int64_t> &features) {
  const double words_per_ns = instructions() == Instructions::avx512   ? 10
                              : instructions() == Instructions::popcnt ? 3
                                                                       : 0.3;
  double rows = 0, groups = 0;
  for (int64_t i : features) rows += static_cast<double>(task.slots[i] - 1);
  const auto plan = JointGroups::plan(task, features);
  const double g = static_cast<double>(plan.size()), p = static_cast<double>(features.size());
  const double n = static_cast<double>(task.x.n);
  for (const auto &group : plan) groups += static_cast<double>(group.size) / g;
  const double cells = static_cast<double>(task.C) * groups * groups;
  return g * (g - 1) / 2 * (0.7 * n + 2 * cells) + 0.2 * p * n <
         rows * rows / 2 * n / 64 / words_per_ns + 1.0 * p * n;
}

// A feature of one value, observed in all rows, meets each value as often as that value occurs.
void pairs_with_constants(const Task &task, const std::vector<int64_t> &constants,
                          const std::vector<double> &n_c, const PairSink &sink) {
  const int64_t V = task.V;
  const std::vector<double> n_cv = singles(task, n_c);
  parallel_for(task.C, task.threads, [&](int64_t c) {
    const double *n_v = n_cv.data() + c * V;
    double *block = sink.out + c * V * V;
    for (int64_t i : constants) std::copy_n(n_v, V, block + task.offset[i] * V);
    for (int64_t v = 0; v < V; ++v)
      for (int64_t i : constants) block[v * V + task.offset[i]] = n_v[v];
  });
}

std::vector<double> pairs(Task &task, const std::vector<double> &n_c, const std::string &design) {
  std::vector<double> out(task.C * task.V * task.V, 0.0);
  const PairSink sink{task, out.data()};
  const bool by_bits = !task.weights && (design == "bits" || (design == "auto" && task.x.sparse()));
  if (!by_bits) task.x.densify();

  std::vector<int64_t> narrow, wide, constants;
  for (int64_t i = 0; i < task.x.p; ++i) {
    if (task.constant(i)) {
      constants.push_back(i);
      continue;
    }
    const bool fits = task.x.sparse() || (task.slots[i] < 256 && task.C * task.slots[i] < 65536);
    (fits && !task.weights && design != "plain" ? narrow : wide).push_back(i);
  }
  if (!narrow.empty()) {
    const bool bits = by_bits || (design == "auto" && !groups_are_cheaper(task, narrow));
    (bits ? pairs_by_bits : pairs_by_groups)(task, narrow, sink);
  }
  std::vector<std::pair<int64_t, int64_t>> rest;
  for (size_t a = 0; a < wide.size(); ++a) {
    for (size_t b = a; b < wide.size(); ++b) rest.emplace_back(wide[a], wide[b]);
    for (int64_t j : narrow) rest.emplace_back(wide[a], j);
  }
  pairs_one_by_one(task, rest, sink);
  if (!constants.empty()) pairs_with_constants(task, constants, n_c, sink);
  return out;
}

nb::tuple count_singles(nb::object features, nb::object target, Offsets offsets, int64_t n_classes,
                        Weights weights, int threads) {
  Task task(features, target, offsets, n_classes, weights, threads);
  std::vector<double> n_c, n_cx;
  {
    nb::gil_scoped_release release;
    task.inspect();
    n_c = task.class_weights();
    n_cx = singles(task, n_c);
  }
  const auto C = static_cast<size_t>(task.C), V = static_cast<size_t>(task.V);
  return nb::make_tuple(give(std::move(n_c), {C}), give(std::move(n_cx), {C, V}));
}

nb::tuple count_pairs(nb::object features, nb::object target, Offsets offsets, int64_t n_classes,
                      Weights weights, int threads, const char *design) {
  Task task(features, target, offsets, n_classes, weights, threads);
  std::vector<double> n_c, n_cxx;
  {
    nb::gil_scoped_release release;
    task.inspect();
    n_c = task.class_weights();
    n_cxx = pairs(task, n_c, design);
  }
  const auto C = static_cast<size_t>(task.C), V = static_cast<size_t>(task.V);
  return nb::make_tuple(give(std::move(n_c), {C}), give(std::move(n_cxx), {C, V, V}));
}

}  // namespace

void bind_counting(nb::module_ &m) {
  define(m, "count_singles", count_singles);
  define(m, "count_pairs", count_pairs);
}
