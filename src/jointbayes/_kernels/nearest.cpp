// The nearest rows of a matrix: nearest.py. A row that is asked walks down its columns, so
// that pairs of rows which share nothing cost one comparison.
#include <cmath>
#include <limits>
#include <queue>
#include <utility>

#include "parallel.hpp"

namespace {

constexpr double kUnit = 1e9;  // distances that agree to nine decimals are equal
constexpr int64_t kRows = 64;  // asked by one thread before the next turn

using Neighbour = std::pair<double, int64_t>;  // by distance, then by number

struct Compressed {
  Vector<int64_t> ends, places;
  Vector<double> values;

  explicit Compressed(const nb::tuple &parts)
      : ends(taken<Vector<int64_t>>(parts[0], "where rows begin")),
        places(taken<Vector<int64_t>>(parts[1], "the list of columns")),
        values(taken<Vector<double>>(parts[2], "the list of values")) {}
};

double rounded(double x) { return std::nearbyint(x * kUnit) / kUnit; }

// The k least of (distance, number), the greatest of them on top.
class Nearest {
 public:
  explicit Nearest(int64_t k) : k_(k) {}

  void offer(double distance, int64_t number) {
    if (distance > limit_) return;
    heap_.emplace(rounded(distance), number);
    if (static_cast<int64_t>(heap_.size()) > k_) heap_.pop();
    if (static_cast<int64_t>(heap_.size()) == k_) limit_ = heap_.top().first + 1 / kUnit;
  }

  void take(int64_t *out) {
    for (int64_t i = 0; i < k_; ++i, heap_.pop()) out[i] = heap_.top().second;
    std::sort(out, out + k_);
    limit_ = std::numeric_limits<double>::infinity();
  }

 private:
  int64_t k_;
  double limit_ = std::numeric_limits<double>::infinity();
  std::priority_queue<Neighbour> heap_;
};

nb::ndarray<nb::numpy, int64_t> nearest_rows(nb::tuple asked_parts, nb::tuple column_parts,
                                             Vector<double> asked_squares, Vector<double> squares,
                                             int64_t k, int64_t own, int threads) {
  const Compressed asked(asked_parts), columns(column_parts);
  const auto m = static_cast<int64_t>(asked_squares.shape(0));
  const auto n = static_cast<int64_t>(squares.shape(0));
  std::vector<int64_t> found(m * k);
  if (k > 0) {
    nb::gil_scoped_release release;
    parallel_for((m + kRows - 1) / kRows, threads, [&](int64_t part) {
      std::vector<double> product(n);
      Nearest nearest(k);
      for (int64_t i = part * kRows; i < std::min(m, (part + 1) * kRows); ++i) {
        std::fill(product.begin(), product.end(), 0.0);
        for (int64_t at = asked.ends(i); at < asked.ends(i + 1); ++at) {
          const int64_t j = asked.places(at);
          for (int64_t e = columns.ends(j); e < columns.ends(j + 1); ++e)
            product[columns.places(e)] += asked.values(at) * columns.values(e);
        }
        for (int64_t row = 0; row < n; ++row)
          if (own < 0 || row != own + i)
            nearest.offer(asked_squares(i) + squares(row) - 2 * product[row], row);
        nearest.take(found.data() + i * k);
      }
    });
  }
  return give(std::move(found), {static_cast<size_t>(m), static_cast<size_t>(k)});
}

nb::ndarray<nb::numpy, int64_t> nearest_by_products(Rows<double> products,
                                                    Vector<double> asked_squares,
                                                    Vector<double> squares, int64_t k, int64_t own,
                                                    int threads) {
  const auto m = static_cast<int64_t>(products.shape(0));
  const auto n = static_cast<int64_t>(products.shape(1));
  if (static_cast<int64_t>(asked_squares.shape(0)) != m ||
      static_cast<int64_t>(squares.shape(0)) != n || k < 0 || k > n - (own >= 0))
    throw nb::value_error("products and squares differ in shape, or there are too few rows");
  std::vector<int64_t> found(m * k);
  if (k > 0) {
    nb::gil_scoped_release release;
    parallel_for((m + kRows - 1) / kRows, threads, [&](int64_t part) {
      Nearest nearest(k);
      for (int64_t i = part * kRows; i < std::min(m, (part + 1) * kRows); ++i) {
        const double *product = products.data() + i * n;
        for (int64_t row = 0; row < n; ++row)
          if (own < 0 || row != own + i)
            nearest.offer(asked_squares(i) + squares(row) - 2 * product[row], row);
        nearest.take(found.data() + i * k);
      }
    });
  }
  return give(std::move(found), {static_cast<size_t>(m), static_cast<size_t>(k)});
}

}  // namespace

void bind_nearest(nb::module_ &m) {
  define(m, "nearest_by_products", nearest_by_products);
  define(m, "nearest_rows", nearest_rows);
}
