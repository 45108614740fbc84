// Sums over the orders in which the labels of a set can be picked: the equations are in orders.py.
//
// A row and a size make a task. Those whose numbers are ordinary ones are summed several at a time
// (order_lanes.hpp), the others one by one (scaled_orders.hpp).
#include "order_lanes.hpp"
#include "scaled_orders.hpp"

namespace {

constexpr double kTiny = 1e-280;  // sums of smaller numbers have lost digits
constexpr double kRounding = 1e-9;

struct Task {
  int64_t row;
  int size;
};

// What all tasks share.
class Tasks {
 public:
  Tasks(Rows<double> log_size, Rows<double> base, Rows<double> by_size, Rows<double> together)
      : n(base.shape(0)), d(static_cast<int>(base.shape(1))), log_size(log_size),
        base_(checked(log_size, base, by_size, together)), by_size_(by_size), together_(together),
        links_(together) {}

  // Every size of every row that has any probability.
  std::vector<Task> possible() const {
    std::vector<Task> out;
    for (int64_t row = 0; row < n; ++row)
      for (int m = 0; m <= d; ++m)
        if (log_size(row, m) > kNever) out.push_back({row, m});
    return out;
  }

  // Call plain(k, p) for the k-th task, P(F) being p[F · lanes], or else scaled(k).
  template <class Plain, class Scaled>
  void sum(const std::vector<Task> &tasks, int threads, Plain plain, Scaled scaled) const {
    std::vector<size_t> in_lanes, alone;
    for (size_t k = 0; k < tasks.size(); ++k)
      (spread(tasks[k]) + links_.spread <= kPlain ? in_lanes : alone).push_back(k);
    // Those of one size have the same to do; large sizes take longest and come first.
    std::stable_sort(in_lanes.begin(), in_lanes.end(),
                     [&](size_t a, size_t b) { return tasks[a].size > tasks[b].size; });
    const size_t blocks = (in_lanes.size() + kLanes - 1) / kLanes;
    parallel_for(blocks + alone.size(), threads, [&](int64_t at) {
      if (at >= int64_t(blocks)) return scaled(alone[at - blocks]);
      const size_t *first = in_lanes.data() + at * kLanes;
      const size_t filled = std::min<size_t>(kLanes, in_lanes.size() - at * kLanes);
      double scores[kMostLabels * kLanes] = {};
      for (size_t l = 0; l < filled; ++l) exponentiate(tasks[first[l]], scores + l);
      const std::unique_ptr<double[]> p(new double[size_t{kLanes} << d]);  // written, then read
      reach_sets(links_, scores, tasks[first[0]].size, p.get());
      for (size_t l = 0; l < filled; ++l) plain(first[l], p.get() + l);
    });
  }

  // Call use(F, log P(F)) for all sets of the size of one task.
  template <class Use> void scaled(Task task, Use use) const {
    std::call_once(scaling_, [&] {
      std::vector<int32_t> members(d);
      for (int j = 0; j < d; ++j) members[d - 1 - j] = j;
      lattice_ = std::make_unique<Lattice>(together_, members);
    });
    const double *more = by_size_.data() + task.size * d;
    lattice_->sum(exponentials(base_.data() + task.row * d, more, d), task.size, use);
  }

  const int64_t n;
  const int d;
  const Rows<double> log_size;

 private:
  static Rows<double> checked(Rows<double> log_size, Rows<double> base, Rows<double> by_size,
                              Rows<double> together) {
    const size_t n = base.shape(0), d = base.shape(1);
    if (d > size_t{kMostLabels})
      throw nb::value_error("there are too many labels for a table of their sets");
    if (log_size.shape(0) != n || log_size.shape(1) != d + 1 || by_size.shape(0) != d + 1 ||
        by_size.shape(1) != d || together.shape(0) != d || together.shape(1) != d)
      throw nb::value_error("sizes, base and together differ in shape");
    return base;
  }

  double score(Task task, int y) const { return base_(task.row, y) + by_size_(task.size, y); }

  double spread(Task task) const {
    double least = 0.0, most = kNever;
    for (int y = 0; y < d; ++y)
      if (const double x = score(task, y); x > kNever)
        least = most > kNever ? std::min(least, x) : x, most = std::max(most, x);
    return most > kNever ? most - least : 0.0;
  }

  void exponentiate(Task task, double *lane) const {
    double top = kNever;
    for (int y = 0; y < d; ++y) top = std::max(top, score(task, y));
    for (int y = 0; y < d; ++y)
      lane[(d - 1 - y) * kLanes] = top > kNever ? std::exp(score(task, y) - top) : 0.0;
  }

  const Rows<double> base_, by_size_, together_;
  const Links links_;
  mutable std::once_flag scaling_;
  mutable std::unique_ptr<Lattice> lattice_;
};

nb::ndarray<nb::numpy, double> sum_orders_of_all_sets(Rows<double> log_size, Rows<double> base,
                                                      Rows<double> by_size, Rows<double> together,
                                                      int threads) {
  const Tasks tasks(log_size, base, by_size, together);
  std::vector<double> out(tasks.n << tasks.d, kNever);
  {
    nb::gil_scoped_release release;
    const auto every = tasks.possible();
    const auto write = [&](Task task, size_t set, double log_p) {
      out[(size_t(task.row) << tasks.d) + set] = tasks.log_size(task.row, task.size) + log_p;
    };
    const auto scaled = [&](size_t k) {
      tasks.scaled(every[k], [&](size_t set, double log_p) { write(every[k], set, log_p); });
    };
    const auto plain = [&](size_t k, const double *p) {
      double least = 1.0;
      sets_of(every[k].size, tasks.d, [&](size_t set) {
        least = std::min(least, p[set * kLanes]);
        write(every[k], set, std::log(p[set * kLanes]));
      });
      if (least < kTiny) scaled(k);
    };
    tasks.sum(every, threads, plain, scaled);
  }
  return give(std::move(out), {size_t(tasks.n), size_t{1} << tasks.d});
}

nb::tuple sum_orders_of_best_set(Rows<double> log_size, Rows<double> base, Rows<double> by_size,
                                 Rows<double> together, int threads) {
  const Tasks tasks(log_size, base, by_size, together);
  const size_t n = tasks.n;
  std::vector<int64_t> best(n, 0);
  std::vector<double> top(n, kNever);
  {
    nb::gil_scoped_release release;
    const auto offer = [&](int64_t row, int64_t set, double log_p) {
      if (log_p > top[row] || (log_p == top[row] && set < best[row]))
        best[row] = set, top[row] = log_p;
    };
    // No set is more probable than its size, so sizes are tried in turn, the likeliest first.
    std::vector<std::vector<int>> sizes(n, std::vector<int>(tasks.d + 1));
    for (size_t row = 0; row < n; ++row) {
      for (int m = 0; m <= tasks.d; ++m) sizes[row][m] = m;
      std::stable_sort(sizes[row].begin(), sizes[row].end(),
                       [&](int a, int b) { return log_size(row, a) > log_size(row, b); });
    }
    for (int turn = 0; turn <= tasks.d; ++turn) {
      std::vector<Task> some;
      for (size_t row = 0; row < n; ++row) {
        const double most = log_size(row, sizes[row][turn]);
        if (most > kNever && most + kRounding >= top[row])
          some.push_back({int64_t(row), sizes[row][turn]});
      }
      if (some.empty()) break;
      const auto plain = [&](size_t k, const double *p) {
        const auto [row, size] = some[k];
        double most = 0.0;
        sets_of(size, tasks.d, [&](size_t set) {
          const double here = p[set * kLanes];
          if (here < most * (1 - 1e-15)) return;  // what is as good in logarithms is a tie
          most = std::max(most, here);
          offer(row, set, log_size(row, size) + std::log(here));
        });
      };
      tasks.sum(some, threads, plain, [&](size_t k) {
        const auto [row, size] = some[k];
        tasks.scaled(some[k], [&, row = row, size = size](size_t set, double log_p) {
          offer(row, set, log_size(row, size) + log_p);
        });
      });
    }
  }
  return nb::make_tuple(give(std::move(best), {n}), give(std::move(top), {n}));
}

nb::ndarray<nb::numpy, double> sum_orders_by_label(Rows<double> log_size, Rows<double> base,
                                                   Rows<double> by_size, Rows<double> together,
                                                   int threads) {
  const Tasks tasks(log_size, base, by_size, together);
  const size_t d = tasks.d, low = d / 2, lower = (size_t{1} << low) - 1;
  std::vector<double> out(tasks.n * 2 * d, 0.0);
  {
    nb::gil_scoped_release release;
    const auto every = tasks.possible();
    std::vector<double> told(every.size() * 2 * d, 0.0);
    // Sets are added up by their halves first, then those by the labels that they hold.
    const auto tell = [&](size_t k, auto add_sets) {
      std::vector<double> low_sum(lower + 1, 0.0), high_sum(size_t{1} << (d - low), 0.0);
      add_sets([&](size_t set, double p) { low_sum[set & lower] += p, high_sum[set >> low] += p; });
      const double scale = std::exp(log_size(every[k].row, every[k].size));
      for (size_t b = 0; b < d; ++b) {
        const auto &sums = b < low ? low_sum : high_sum;
        const size_t bit = b < low ? b : b - low;
        double weight[2] = {0.0, 0.0};  // of sets without and with the label
        for (size_t half = 0; half < sums.size(); ++half) weight[half >> bit & 1] += sums[half];
        for (size_t held = 0; held < 2; ++held)
          told[(2 * k + held) * d + d - 1 - b] = scale * weight[held];
      }
    };
    tasks.sum(
        every, threads,
        [&](size_t k, const double *p) {
          tell(k, [&](auto add) {
            sets_of(every[k].size, tasks.d, [&](size_t set) { add(set, p[set * kLanes]); });
          });
        },
        [&](size_t k) {
          tell(k, [&](auto add) {
            tasks.scaled(every[k], [&](size_t set, double log_p) { add(set, std::exp(log_p)); });
          });
        });
    for (size_t k = 0; k < every.size(); ++k)
      for (size_t j = 0; j < 2 * d; ++j) out[every[k].row * 2 * d + j] += told[k * 2 * d + j];
  }
  return give(std::move(out), {size_t(tasks.n), 2 * d});
}

nb::ndarray<nb::numpy, double> sum_orders_of_sets(Rows<double> base, Rows<double> together,
                                                  Rows<int64_t> codes, int threads) {
  const size_t n = base.shape(0), d = base.shape(1);
  if (codes.shape(0) != n || codes.shape(1) != d || together.shape(0) != d ||
      together.shape(1) != d)
    throw nb::value_error("base, together and codes differ in shape");
  std::vector<double> out(n, 0.0);
  {
    nb::gil_scoped_release release;
    parallel_for(n, threads, [&](int64_t row) {
      std::vector<int32_t> members;
      for (size_t j = d; j-- > 0;)
        if (codes(row, j) == 1) members.push_back(static_cast<int32_t>(j));
      if (members.size() > size_t{kMostLabels})
        throw std::invalid_argument("a set has too many labels for a sum over its subsets");
      const Lattice lattice(together, members);
      lattice.sum(exponentials(base.data() + row * d, nullptr, d), lattice.s,
                  [&](size_t, double log_p) { out[row] = log_p; });
    });
  }
  return give(std::move(out), {n});
}

}  // namespace

void bind_orders(nb::module_ &m) {
  define(m, "sum_orders_of_all_sets", sum_orders_of_all_sets);
  define(m, "sum_orders_of_best_set", sum_orders_of_best_set);
  define(m, "sum_orders_by_label", sum_orders_by_label);
  define(m, "sum_orders_of_sets", sum_orders_of_sets);
}
