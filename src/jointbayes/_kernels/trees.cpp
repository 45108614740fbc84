// Structures for single rows: a spanning tree per row and label, and parents by local ranking.
// Weights come as ranks (equal weights, equal rank), so that comparing is exact and narrow.
#include <limits>

#include "parallel.hpp"

namespace {

template <class T> using Cube = nb::ndarray<const T, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

constexpr int32_t kInside = std::numeric_limits<int32_t>::max();  // no rank is as high
constexpr int32_t kNone = std::numeric_limits<int32_t>::min();    // no rank is as low
constexpr int64_t kChunk = 256;                                   // trees or rows per task

// What one row observed: its features in order, and their values numbered over all features.
struct Row {
  std::vector<int32_t> feature, value;

  template <class T> void read(const Columns<T> &x, const Vector<int64_t> &offsets, int64_t row) {
    const int64_t n = x.shape(0), p = x.shape(1);
    feature.clear();
    value.clear();
    for (int64_t i = 0; i < p; ++i) {
      const int64_t code = x.data()[i * n + row];
      if (code == offsets(i + 1) - offsets(i)) continue;  // not observed
      feature.push_back(static_cast<int32_t>(i));
      value.push_back(static_cast<int32_t>(offsets(i) + code));
    }
  }
};

// Let every outside node hang on `node` if that link is heavier. These three loops are written so
// that the compiler turns them into vector instructions: no calls, no references, no exits.
JB_CLONES void relax(const int32_t *__restrict links, const int32_t *__restrict value, int32_t n,
                     int32_t node, int32_t *__restrict best, int32_t *__restrict parent) {
  for (int32_t k = 0; k < n; ++k) {
    const int32_t link = links[value[k]];
    parent[k] = link > best[k] ? node : parent[k];
    best[k] = link > best[k] ? link : best[k];
  }
}

// The heaviest link to a node that is still outside. One more than kInside wraps round to the least
// number, so that members never win.
JB_CLONES int32_t heaviest(const int32_t *__restrict best, int32_t n) {
  int32_t top = kNone;
  for (int32_t k = 0; k < n; ++k) {
    const auto link = static_cast<int32_t>(static_cast<uint32_t>(best[k]) + 1u);
    top = link > top ? link : top;
  }
  return static_cast<int32_t>(static_cast<uint32_t>(top) - 1u);
}

// The lowest position that holds `wanted`.
JB_CLONES int32_t find(const int32_t *__restrict values, int32_t n, int32_t wanted) {
  int32_t at = n;
  for (int32_t k = 0; k < n; ++k) {
    const int32_t here = values[k] == wanted ? k : n;
    at = here < at ? here : at;
  }
  return at;
}

// Prim from the first node: the heaviest link wins, then the lower node, then the earlier member.
void grow(const int32_t *ranks, int64_t width, const std::vector<int32_t> &value,
          std::vector<int32_t> &best, std::vector<int32_t> &parent) {
  const auto n = static_cast<int32_t>(value.size());
  best.assign(n, kNone);
  parent.assign(n, -1);
  for (int32_t node = 0, step = 1; step <= n; ++step) {
    best[node] = kInside;
    relax(ranks + value[node] * width, value.data(), n, node, best.data(), parent.data());
    node = find(best.data(), n, heaviest(best.data(), n));
  }
}

// Call use(item, row, tree) for the tree of every item: a row and a label.
template <class T, class Use>
void each_tree(const Columns<T> &features, const Vector<int64_t> &offsets,
               const Vector<int64_t> &rows, const Vector<int64_t> &labels,
               const Cube<int32_t> &ranks, int threads, Use use) {
  const int64_t m = rows.shape(0), width = ranks.shape(1);
  parallel_for((m + kChunk - 1) / kChunk, threads, [&](int64_t chunk) {
    Row row;
    std::vector<int32_t> best, parent;
    int64_t loaded = -1;
    for (int64_t t = chunk * kChunk; t < std::min(m, (chunk + 1) * kChunk); ++t) {
      if (rows(t) != loaded) row.read(features, offsets, loaded = rows(t));
      grow(ranks.data() + labels(t) * width * width, width, row.value, best, parent);
      use(t, row, parent);
    }
  });
}

template <class T>
nb::ndarray<nb::numpy, int32_t> expert_trees(Columns<T> features, Vector<int64_t> offsets,
                                             Vector<int64_t> rows, Vector<int64_t> labels,
                                             Cube<int32_t> ranks, int threads) {
  const int64_t m = rows.shape(0), p = features.shape(1);
  std::vector<int32_t> out(m * p, -1);
  {
    nb::gil_scoped_release release;
    each_tree(features, offsets, rows, labels, ranks, threads,
              [&](int64_t t, const Row &row, const std::vector<int32_t> &parent) {
                for (size_t k = 1; k < parent.size(); ++k)
                  out[t * p + row.feature[k]] = row.feature[parent[k]];
              });
  }
  return give(std::move(out), {static_cast<size_t>(m), static_cast<size_t>(p)});
}

// log P(x | c) of a row whose k-th observed feature hangs on the parent(k)-th, or on none if that is < 0.
template <class Parent>
double log_likelihood(const Row &row, const double *single, const double *pair, int64_t width,
                      Parent parent) {
  double sum = 0.0;
  for (size_t k = 0; k < row.value.size(); ++k) {
    const int32_t above = parent(k), value = row.value[k];
    sum += above < 0 ? single[value] : pair[value * width + row.value[above]];
  }
  return sum;
}

template <class T>
nb::ndarray<nb::numpy, double> expert_log_likelihood(Columns<T> features, Vector<int64_t> offsets,
                                                     Vector<int64_t> rows, Vector<int64_t> labels,
                                                     Cube<int32_t> ranks, Cube<double> log_pair,
                                                     Rows<double> log_single, int threads) {
  const int64_t m = rows.shape(0), width = ranks.shape(1);
  std::vector<double> out(m, 0.0);
  {
    nb::gil_scoped_release release;
    each_tree(features, offsets, rows, labels, ranks, threads,
              [&](int64_t t, const Row &row, const std::vector<int32_t> &parent) {
                out[t] = log_likelihood(row, log_single.data() + labels(t) * width,
                                        log_pair.data() + labels(t) * width * width, width,
                                        [&](size_t k) { return parent[k]; });
              });
  }
  return give(std::move(out), {static_cast<size_t>(m)});
}

template <class T>
nb::ndarray<nb::numpy, double> tree_log_likelihood(Columns<T> features, Vector<int64_t> offsets,
                                                   Vector<int64_t> rows, Vector<int64_t> labels,
                                                   Vector<int64_t> which, Rows<int64_t> trees,
                                                   Cube<double> log_pair, Rows<double> log_single,
                                                   int threads) {
  const int64_t m = rows.shape(0), p = features.shape(1), width = log_pair.shape(1);
  std::vector<double> out(m, 0.0);
  {
    nb::gil_scoped_release release;
    parallel_for((m + kChunk - 1) / kChunk, threads, [&](int64_t chunk) {
      Row row;
      for (int64_t t = chunk * kChunk; t < std::min(m, (chunk + 1) * kChunk); ++t) {
        row.read(features, offsets, rows(t));
        const int64_t *parents = trees.data() + which(t) * p;
        out[t] = log_likelihood(row, log_single.data() + labels(t) * width,
                                log_pair.data() + labels(t) * width * width, width,
                                [&](size_t k) { return static_cast<int32_t>(parents[k]); });
      }
    });
  }
  return give(std::move(out), {static_cast<size_t>(m)});
}

// Copy the links from one value to the first n of a list.
JB_CLONES void gather(const int32_t *__restrict links, const int32_t *__restrict value, int32_t n,
                      int32_t *__restrict out) {
  for (int32_t k = 0; k < n; ++k) out[k] = links[value[k]];
}

template <class T>
nb::ndarray<nb::numpy, int32_t> local_parents(Columns<T> features, Vector<int64_t> offsets,
                                              Vector<int32_t> value_ranks, Rows<int32_t> pair_ranks,
                                              int64_t k, int threads) {
  const int64_t n = features.shape(0), p = features.shape(1), width = pair_ranks.shape(0);
  std::vector<int32_t> out(n * p * k, -1);
  auto one_row = [&](int64_t r, const Row &row, std::vector<int32_t> &order,
                     std::vector<int32_t> &value, std::vector<int32_t> &link) {
    const auto size = static_cast<int32_t>(row.value.size());
    order.resize(size);
    value.resize(size);
    link.resize(size);
    for (int32_t i = 0; i < size; ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      const int32_t ra = value_ranks(row.value[a]), rb = value_ranks(row.value[b]);
      return ra != rb ? ra > rb : a < b;
    });
    for (int32_t i = 0; i < size; ++i) value[i] = row.value[order[i]];
    for (int32_t i = 1; i < size; ++i) {
      int32_t *mine = out.data() + (r * p + row.feature[order[i]]) * k;
      gather(pair_ranks.data() + value[i] * width, value.data(), i, link.data());
      for (int64_t j = 0; j < std::min<int64_t>(k, i); ++j) {
        const int32_t top = heaviest(link.data(), i);
        int32_t best = find(link.data(), i, top);
        for (int32_t e = best + 1; e < i; ++e)  // of equals the lower feature, not the earlier one
          if (link[e] == top && order[e] < order[best]) best = e;
        mine[j] = row.feature[order[best]];
        link[best] = kNone;
      }
    }
  };
  {
    nb::gil_scoped_release release;
    parallel_for(k == 0 ? 0 : (n + kChunk - 1) / kChunk, threads, [&](int64_t chunk) {
      Row row;
      std::vector<int32_t> order, value, link;
      for (int64_t r = chunk * kChunk; r < std::min(n, (chunk + 1) * kChunk); ++r) {
        row.read(features, offsets, r);
        one_row(r, row, order, value, link);
      }
    });
  }
  return give(std::move(out),
              {static_cast<size_t>(n), static_cast<size_t>(p), static_cast<size_t>(k)});
}

template <class T> void define_width(nb::module_ &m) {
  define(m, "expert_trees", expert_trees<T>);
  define(m, "expert_log_likelihood", expert_log_likelihood<T>);
  define(m, "tree_log_likelihood", tree_log_likelihood<T>);
  define(m, "local_parents", local_parents<T>);
}

}  // namespace

void bind_trees(nb::module_ &m) {
  define_width<uint8_t>(m);
  define_width<uint16_t>(m);
  define_width<uint32_t>(m);
}
