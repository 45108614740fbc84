// The largest sums of tables, one variable eliminated after the other: see maxima.py.
#include <limits>

#include "parallel.hpp"

namespace {

constexpr int64_t kRows = 64;  // whose messages stay in the cache

// The sum of a few rows of numbers against the best so far; the first value has nothing to beat.
template <int kParts>
__attribute__((always_inline)) inline void compare(const double *const *parts, int64_t rows,
                                                   int64_t value, double *__restrict best,
                                                   int64_t *__restrict choice) {
  for (int64_t r = 0; r < rows; ++r) {
    double total = parts[0][r];
    for (int k = 1; k < kParts; ++k) total += parts[k][r];
    const bool better = value == 0 || total > best[r];
    best[r] = better ? total : best[r];
    choice[r] = better ? value : choice[r];
  }
}

constexpr int kFew = 3;  // parts that are added up on the way

JB_CLONES void offer_parts(const double *const *parts, int64_t n, int64_t rows, int64_t value,
                           double *best, int64_t *choice) {
  if (n == 1) return compare<1>(parts, rows, value, best, choice);
  if (n == 2) return compare<2>(parts, rows, value, best, choice);
  compare<3>(parts, rows, value, best, choice);
}

struct Elimination {
  Vector<int64_t> variables, cards, sizes, parts, sources, begins, separators, strides;
};

// The tables of some rows, and what eliminated variables have said about the others.
class Pass {
 public:
  Pass(const Elimination &plan, Rows<double> cells)
      : plan_(plan), cells_(cells.data()), held_(cells.shape(0)), n_(cells.shape(1)),
        width_(std::min(n_, kRows)) {
    int64_t said = 0;
    for (size_t s = 0; s < plan.sizes.shape(0); ++s) said += plan.sizes(s);
    messages_.resize(said * width_);
    choices_.resize(said * width_);
  }

  void run(int64_t begin, int64_t rows, int64_t *codes, int64_t d, double *score) {
    std::fill_n(score, rows, 0.0);
    const int64_t *source = plan_.sources.data();
    int64_t said = 0;
    for (size_t s = 0; s < plan_.sizes.shape(0); ++s) {
      const int64_t size = plan_.sizes(s), parts = plan_.parts(s);
      for (int64_t value = 0; value < plan_.cards(s); ++value)
        for (int64_t cell = 0; cell < size; ++cell, source += parts)
          offer(value, source, parts, begin, rows, (said + cell) * width_);
      if (plan_.begins(s) == plan_.begins(s + 1))  // the last of its component
        for (int64_t r = 0; r < rows; ++r) score[r] += messages_[said * width_ + r];
      said += size;
    }
    for (size_t s = plan_.sizes.shape(0); s-- > 0;) {
      said -= plan_.sizes(s);
      for (int64_t r = 0; r < rows; ++r) {
        int64_t cell = said;
        for (int64_t k = plan_.begins(s); k < plan_.begins(s + 1); ++k)
          cell += plan_.strides(k) * codes[r * d + plan_.separators(k)];
        codes[r * d + plan_.variables(s)] = choices_[cell * width_ + r];
      }
    }
  }

 private:
  // Add up one cell of a table, and keep it if it is the best of its column so far.
  void offer(int64_t value, const int64_t *source, int64_t parts, int64_t begin, int64_t rows,
             int64_t to) {
    const double *few[kFew];
    double total[kRows];
    const auto numbers = [&](int64_t k) {
      return source[k] < held_ ? cells_ + source[k] * n_ + begin
                               : messages_.data() + (source[k] - held_) * width_;
    };
    int64_t added = 0;
    if (parts == 0 || parts > kFew) {
      std::fill_n(total, rows, 0.0);
      for (; added < parts; ++added) {
        const double *from = numbers(added);
        for (int64_t r = 0; r < rows; ++r) total[r] += from[r];
      }
      few[0] = total;
    } else {
      for (; added < parts; ++added) few[added] = numbers(added);
    }
    offer_parts(few, parts > kFew ? 1 : std::max<int64_t>(parts, 1), rows, value,
                messages_.data() + to, choices_.data() + to);
  }

  const Elimination &plan_;
  const double *cells_;
  const int64_t held_, n_, width_;  // rows at once
  std::vector<double> messages_;
  std::vector<int64_t> choices_;
};

nb::tuple eliminate_maxima(Rows<double> cells, Vector<int64_t> variables, Vector<int64_t> cards,
                           Vector<int64_t> sizes, Vector<int64_t> parts, Vector<int64_t> sources,
                           Vector<int64_t> begins, Vector<int64_t> separators,
                           Vector<int64_t> strides) {
  const size_t n = cells.shape(1), d = variables.shape(0);
  std::vector<int64_t> codes(n * d);
  std::vector<double> score(n);
  {
    nb::gil_scoped_release release;
    const Elimination plan{variables, cards, sizes, parts, sources, begins, separators, strides};
    Pass pass(plan, cells);
    for (size_t begin = 0; begin < n; begin += kRows)
      pass.run(begin, std::min<int64_t>(kRows, n - begin), codes.data() + begin * d, d,
               score.data() + begin);
  }
  return nb::make_tuple(give(std::move(codes), {n, d}), give(std::move(score), {n}));
}

}  // namespace

void bind_maxima(nb::module_ &m) { define(m, "eliminate_maxima", eliminate_maxima); }
