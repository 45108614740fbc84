// Damped belief propagation on factor graphs of one structure: the equations are in beliefs.py.
//
// A factor is kept as exp(t - max t), messages as logarithms. What a factor believes is then its
// cells times the exponentials of what it has heard: one product for a cell, and exponentials and
// logarithms for messages only. Where such products are too small for numbers, the logarithms of
// cells are added instead.
#include <cmath>
#include <limits>

#include "flat_graph.hpp"

namespace {

constexpr double kDamping = 0.5, kRest = 1e-7, kLowest = -700.0, kTiny = 1e-200;
constexpr int kRounds = 200;
constexpr double kNever = -std::numeric_limits<double>::infinity();

// A variable of a factor: its values are `inner` cells apart, and repeat `outer` times.
struct Edge {
  int64_t variable, card, outer, inner, message;  // message: where its values begin
};

struct Factor {
  int64_t first, last, cells, size;  // edges; where the cells begin, how many
  double top;                        // max t, which was taken off
};

class Beliefs {
 public:
  explicit Beliefs(const FlatGraph &graph) : graph_(graph) {
    const auto d = static_cast<int64_t>(graph.cards.shape(0));
    value_at_.resize(d + 1, 0);
    for (int64_t v = 0; v < d; ++v) value_at_[v + 1] = value_at_[v] + graph.cards(v);
    int64_t cells = 0, messages = 0, widest = 0;
    for (size_t f = 0; f < graph.n_factors(); ++f) {
      const int64_t first = static_cast<int64_t>(edges_.size());
      int64_t outer = 1;
      for (int64_t i = graph.scope_at(f); i < graph.scope_at(f + 1); ++i) {
        const int64_t v = graph.scopes(i), card = graph.cards(v);
        edges_.push_back({v, card, outer, 1, messages});
        outer *= card;
        messages += card;
      }
      const int64_t last = static_cast<int64_t>(edges_.size());
      for (int64_t e = first; e < last; ++e)
        edges_[e].inner = outer / (edges_[e].outer * edges_[e].card);
      factors_.push_back({first, last, cells, outer, 0.0});
      cells += outer;
      widest = std::max(widest, outer);
    }
    likelihood_.resize(cells);
    weight_.resize(widest);
    told_.resize(messages);
    heard_.resize(messages);
    sums_.resize(messages);
    belief_.resize(value_at_[d]);
    share_.resize(value_at_[d]);
  }

  // Fill in the marginals of a row and return Bethe's log Z.
  double rest(int64_t row, double *marginals) {
    row_ = row;
    for (size_t f = 0; f < factors_.size(); ++f) read(f);
    std::fill(told_.begin(), told_.end(), 0.0);
    std::fill(belief_.begin(), belief_.end(), 0.0);
    std::fill(share_.begin(), share_.end(), 1.0);
    for (int round = 0; round < kRounds; ++round) {
      for (size_t f = 0; f < factors_.size(); ++f) {
        believe(f);
        tell(factors_[f]);
      }
      if (collect() < kRest) break;
    }
    return settle(marginals);
  }

 private:
  const FlatGraph &graph_;
  std::vector<int64_t> value_at_;
  std::vector<Edge> edges_;
  std::vector<Factor> factors_;
  // Cells exp(t - top) of the row; those of the factor at hand times what it has heard.
  std::vector<double> likelihood_, weight_;
  // By message: as it was told, what the factor hears in turn, the sums of (1).
  std::vector<double> told_, heard_, sums_;
  // By value of a variable: logarithm of the belief, greatest 0, and its exponential.
  std::vector<double> belief_, share_;
  int64_t row_ = 0;

  void read(size_t f) {
    Factor &factor = factors_[f];
    const double *t = graph_.cells(f, row_);
    factor.top = *std::max_element(t, t + factor.size);
    for (int64_t i = 0; i < factor.size; ++i)
      likelihood_[factor.cells + i] = std::exp(t[i] - factor.top);
  }

  // Leave h in `heard_` and the sums of (1), of all but a common factor, in `sums_`; return the
  // logarithm of their total.
  double believe(size_t f) {
    const Factor &factor = factors_[f];
    double top = factor.top, least = 1.0;
    std::copy_n(likelihood_.data() + factor.cells, factor.size, weight_.data());
    for (int64_t e = factor.first; e < factor.last; ++e) {
      const Edge &edge = edges_[e];
      double *h = heard_.data() + edge.message, high = kNever;
      for (int64_t y = 0; y < edge.card; ++y) {
        h[y] = belief_[value_at_[edge.variable] + y] - told_[edge.message + y];
        high = std::max(high, h[y]);
      }
      top += high;
      for (int64_t y = 0; y < edge.card; ++y) {
        const double share = std::exp(h[y] - high);
        least = std::min(least, share);
        scale(edge, y, share);
      }
    }
    double whole = add_up(factor, least);
    if (!(least > kTiny)) whole = add_logarithms(factor, graph_.cells(f, row_), top);
    return std::log(whole) + top;
  }

  void scale(const Edge &edge, int64_t y, double share) {
    for (int64_t o = 0; o < edge.outer; ++o) {
      double *w = weight_.data() + (o * edge.card + y) * edge.inner;
      for (int64_t i = 0; i < edge.inner; ++i) w[i] *= share;
    }
  }

  // Sum the weights by the values of each variable; return all of them, and the least sum.
  double add_up(const Factor &factor, double &least) {
    double whole = 0;
    for (int64_t e = factor.first; e < factor.last; ++e) {
      const Edge &edge = edges_[e];
      whole = 0;
      for (int64_t y = 0; y < edge.card; ++y) {
        double sum = 0;
        for (int64_t o = 0; o < edge.outer; ++o) {
          const double *w = weight_.data() + (o * edge.card + y) * edge.inner;
          for (int64_t i = 0; i < edge.inner; ++i) sum += w[i];
        }
        sums_[edge.message + y] = sum;
        least = std::min(least, sum);
        whole += sum;
      }
    }
    return whole;
  }

  // The same from logarithms, which no product can make vanish; `top` becomes their greatest.
  double add_logarithms(const Factor &factor, const double *t, double &top) {
    std::copy_n(t, factor.size, weight_.data());
    for (int64_t e = factor.first; e < factor.last; ++e) {
      const Edge &edge = edges_[e];
      for (int64_t o = 0; o < edge.outer; ++o)
        for (int64_t y = 0; y < edge.card; ++y)
          for (int64_t i = 0; i < edge.inner; ++i)
            weight_[(o * edge.card + y) * edge.inner + i] += heard_[edge.message + y];
    }
    top = *std::max_element(weight_.begin(), weight_.begin() + factor.size);
    for (int64_t i = 0; i < factor.size; ++i) weight_[i] = std::exp(weight_[i] - top);
    double least = 1.0;
    return add_up(factor, least);
  }

  void tell(const Factor &factor) {
    for (int64_t e = factor.first; e < factor.last; ++e) {
      const Edge &edge = edges_[e];
      double *told = told_.data() + edge.message, *sum = sums_.data() + edge.message;
      double high = kNever;
      for (int64_t y = 0; y < edge.card; ++y) {
        sum[y] = std::log(sum[y]) - heard_[edge.message + y];  // (1)
        high = std::max(high, sum[y]);
      }
      for (int64_t y = 0; y < edge.card; ++y)
        told[y] = kDamping * told[y] + (1 - kDamping) * std::max(sum[y] - high, kLowest);
    }
  }

  // Add up the messages to each variable; return by how much a belief has moved at most.
  double collect() {
    std::fill(belief_.begin(), belief_.end(), 0.0);
    for (const Edge &edge : edges_)
      for (int64_t y = 0; y < edge.card; ++y)
        belief_[value_at_[edge.variable] + y] += told_[edge.message + y];
    double moved = 0;
    for (size_t v = 0; v + 1 < value_at_.size(); ++v) {
      const auto first = belief_.begin() + value_at_[v], last = belief_.begin() + value_at_[v + 1];
      const double high = *std::max_element(first, last);
      for (int64_t i = value_at_[v]; i < value_at_[v + 1]; ++i) {
        belief_[i] -= high;
        const double share = std::exp(belief_[i]);
        moved = std::max(moved, std::abs(share - share_[i]));
        share_[i] = share;
      }
    }
    return moved;
  }

  // Marginals, and (2): a factor's E t + H is log Σ exp of what it believes less what it heard.
  double settle(double *marginals) {
    std::vector<double> entropy(value_at_.size() - 1, 0.0);
    double log_z = 0;
    for (size_t v = 0; v < entropy.size(); ++v) {
      double whole = 0;
      for (int64_t i = value_at_[v]; i < value_at_[v + 1]; ++i) whole += share_[i];
      for (int64_t i = value_at_[v]; i < value_at_[v + 1]; ++i) {
        const double p = marginals[i] = share_[i] / whole;
        if (p > 0) entropy[v] -= p * std::log(p);
      }
      log_z += entropy[v];
    }
    for (size_t f = 0; f < factors_.size(); ++f) {
      log_z += believe(f);
      for (int64_t e = factors_[f].first; e < factors_[f].last; ++e) {
        const Edge &edge = edges_[e];
        const double *sum = sums_.data() + edge.message, *h = heard_.data() + edge.message;
        double whole = 0, said = 0;
        for (int64_t y = 0; y < edge.card; ++y) whole += sum[y], said += sum[y] * h[y];
        log_z -= said / whole + entropy[edge.variable];
      }
    }
    return log_z;
  }
};

nb::tuple settled_beliefs(Vector<int64_t> cards, Vector<int64_t> scope_at, Vector<int64_t> scopes,
                          Vector<int64_t> at, Vector<double> shared, Rows<double> rows,
                          int threads) {
  const FlatGraph graph{cards, scope_at, scopes, at, shared, rows};
  const auto n = static_cast<int64_t>(rows.shape(0));
  int64_t width = 0;
  for (size_t v = 0; v < cards.shape(0); ++v) width += cards(v);
  std::vector<double> marginals(n * width), log_z(n);
  {
    nb::gil_scoped_release release;
    const int64_t parts = std::min<int64_t>(n, 16 * threads);
    parallel_for(parts, threads, [&](int64_t part) {
      Beliefs beliefs(graph);
      for (int64_t row = part; row < n; row += parts)
        log_z[row] = beliefs.rest(row, marginals.data() + row * width);
    });
  }
  const auto un = static_cast<size_t>(n), uw = static_cast<size_t>(width);
  return nb::make_tuple(give(std::move(marginals), {un, uw}), give(std::move(log_z), {un}));
}

}  // namespace

void bind_beliefs(nb::module_ &m) { define(m, "settled_beliefs", settled_beliefs); }
