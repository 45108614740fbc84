// The k best vectors of factor graphs of one structure, row by row, with proof: branch and bound.
#include <chrono>

#include "agreement.hpp"
#include "flat_graph.hpp"

namespace {

using Clock = std::chrono::steady_clock;

struct Entry {
  double score;
  Ints codes;
};

// The best vectors found so far, at most k, all of them better than a floor.
class Ranking {
 public:
  Ranking(int64_t k, double floor) : k_(k), floor_(floor) {}

  double threshold() const {
    return static_cast<int64_t>(entries.size()) < k_ ? floor_ : entries.back().score;
  }

  void offer(double score, const Ints &codes) {
    if (!(score > threshold())) return;
    for (const Entry &entry : entries)
      if (entry.codes == codes) return;
    if (static_cast<int64_t>(entries.size()) == k_) entries.pop_back();
    auto at = std::upper_bound(entries.begin(), entries.end(), score,
                               [](double s, const Entry &e) { return s > e.score; });
    entries.insert(at, Entry{score, codes});
  }

  std::vector<Entry> entries;

 private:
  int64_t k_;
  double floor_;
};

struct Limits {
  int64_t nodes;
  double seconds;
};

class Search {
 public:
  int64_t nodes = 0;

  Search(int64_t k, Limits limits) : k_(k), limits_(limits), start_(Clock::now()) {}

  // Put all vectors above the threshold, up to k, into `best`. Return a bound on those that time or
  // nodes did not suffice for: -infinity if there are none.
  double solve(Problem &p, double bound, Ranking &best) {
    ++nodes;
    Sweep found;
    for (bool in_pairs : {false, true}) {
      if (in_pairs && !agreement_.index(p)) break;
      if (!tighten(p, bound, in_pairs, found, best)) return bound;
    }
    return branch(p, bound, found.margin, best);
  }

 private:
  // As in solver.py: how far a proof holds, and when sweeps have gained enough.
  static constexpr double kTolerance = 1e-9, kProgress = 0.05, kGain = 1e-12;
  static constexpr int32_t kRounds = 50, kPatience = 2;
  int64_t k_;
  Limits limits_;
  Clock::time_point start_;
  Sweeper sweeper_;
  Agreement agreement_;
  Ints at_;  // the vector at hand, by place among the values left

  bool spent() const {
    return nodes > limits_.nodes ||
           std::chrono::duration<double>(Clock::now() - start_).count() > limits_.seconds;
  }

  static double above(const Ranking &best) { return best.threshold() + kTolerance; }

  // Lower the bound until that gains little. Return false if the problem ends here: with -infinity
  // for the bound if nothing is left in it, with the bound as it is if the time is spent.
  bool tighten(Problem &p, double &bound, bool in_pairs, Sweep &found, Ranking &best) {
    for (int32_t round = 0, stalled = 0; round < kRounds && stalled < kPatience; ++round) {
      const double before = bound;
      bool removed = false;
      if (in_pairs) agreement_.run(p);
      for (bool forward : {true, false}) {
        if (p.size() == 0) {
          best.offer(p.constant, p.codes);
          return closed(bound);
        }
        bound = std::min(bound, sweeper_.run(p, forward, bound, above(best), found));
        if (bound <= above(best)) return closed(bound);
        if (!found.removed) continue;
        p = Shrink(p, found.alive).result();
        removed = true;
      }
      if (in_pairs && removed) agreement_.index(p);
      if (round == 0 || stalled > 0) decode(p, best);  // in between it seldom finds more
      if (bound <= above(best)) return closed(bound);
      if (p.size() > 0 && spent()) return false;
      if (removed) round = stalled = 0;
      else if (before - bound < kProgress * (bound - above(best))) ++stalled;
    }
    return true;
  }

  static bool closed(double &bound) {
    bound = kNever;
    return false;
  }

  // The variable whose value, once known, tells most of others: by how far the factors range that
  // mention it, and the more the less it is decided already.
  static int32_t choose(const Problem &p, const Doubles &margin, double gap) {
    Doubles range;
    for (const Factor &f : p.factors) {
      const double *cells = p.cells.data() + f.table;
      const auto [low, high] = std::minmax_element(cells, cells + f.size);
      range.push_back(*high - *low);
    }
    int32_t chosen = 0;
    double most = kNever;
    for (int32_t v = 0; v < p.size(); ++v) {
      double told = 0;
      for (int32_t u = p.use_at[v]; u < p.use_at[v + 1]; ++u) told += range[p.uses[u].factor];
      told *= 1 - margin[v] / gap;
      if (told > most) most = told, chosen = v;
    }
    return chosen;
  }

  double branch(const Problem &p, double bound, const Doubles &margin, Ranking &best) {
    const int32_t v = choose(p, margin, bound - best.threshold()), first = p.unary_at[v];
    Ints order(p.card[v]);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int32_t a, int32_t b) { return p.unary[first + a] > p.unary[first + b]; });
    double open = kNever;
    std::vector<char> alive(p.unary.size(), 1);
    std::fill_n(alive.begin() + first, p.card[v], 0);
    for (int32_t c : order) {
      alive[first + c] = 1;
      Problem part = Shrink(p, alive).result();
      open = std::max(open, spent() ? bound : solve(part, bound, best));
      alive[first + c] = 0;
    }
    return open;
  }

  // A good vector: value by value, given those before; then flips of single values.
  void decode(const Problem &p, Ranking &best) {
    at_.assign(p.size(), 0);
    // What is left of a factor, given the values of its first variables, is contiguous.
    Ints base(p.factors.size(), 0);
    for (int32_t v = 0; v < p.size(); ++v) {
      const Use *first = p.uses.data() + p.use_at[v], *last = p.uses.data() + p.use_at[v + 1];
      double top = kNever;
      for (int32_t c = 0; c < p.card[v]; ++c) {
        double score = p.unary[p.unary_at[v] + c];
        for (const Use *u = first; u < last; ++u) {
          const double *cell = p.cells.data() + u->table + base[u->factor] + c * u->inner;
          score += *std::max_element(cell, cell + u->inner);
        }
        if (score > top) top = score, at_[v] = c;
      }
      for (const Use *u = first; u < last; ++u) base[u->factor] += at_[v] * u->inner;
    }
    climb(p, base, best);
  }

  // base[f] is the cell of every factor at the vector at_.
  void climb(const Problem &p, Ints &base, Ranking &best) {
    double score = p.constant;
    for (int32_t v = 0; v < p.size(); ++v) score += p.unary[p.unary_at[v] + at_[v]];
    for (size_t f = 0; f < p.factors.size(); ++f) score += p.cells[p.factors[f].table + base[f]];
    Ints codes = p.codes;
    for (int32_t v = 0; v < p.size(); ++v) codes[p.variable[v]] = p.value[p.unary_at[v] + at_[v]];
    best.offer(score, codes);
    for (bool improved = true; improved;) {
      improved = false;
      for (int32_t v = 0; v < p.size(); ++v)
        for (int32_t c = 0; c < p.card[v]; ++c) {
          const double gain = gain_of(p, v, c, base);
          if (c == at_[v] || (gain <= kGain && k_ == 1)) continue;
          int32_t &code = codes[p.variable[v]];
          code = p.value[p.unary_at[v] + c];
          best.offer(score + gain, codes);
          if (gain > kGain) {
            for (int32_t u = p.use_at[v]; u < p.use_at[v + 1]; ++u)
              base[p.uses[u].factor] += (c - at_[v]) * p.uses[u].inner;
            at_[v] = c;
            score += gain;
            improved = true;
          }
          code = p.value[p.unary_at[v] + at_[v]];
        }
    }
  }

  // What changing one value of the vector at_ adds to its score.
  double gain_of(const Problem &p, int32_t v, int32_t c, const Ints &base) const {
    const double *unary = p.unary.data() + p.unary_at[v];
    double gain = unary[c] - unary[at_[v]];
    for (int32_t u = p.use_at[v]; u < p.use_at[v + 1]; ++u) {
      const double *cell = p.cells.data() + p.uses[u].table + base[p.uses[u].factor];
      gain += cell[(c - at_[v]) * p.uses[u].inner] - cell[0];
    }
    return gain;
  }
};

// The graphs of all rows, and the problem that each of them is.
struct Graph : FlatGraph {
  Problem problem(int64_t row, double &floor) const {
    Problem p;
    const auto d = static_cast<int32_t>(cards.shape(0));
    p.codes.assign(d, 0);
    for (int32_t v = 0; v < d; ++v) {
      p.add_variable(v, static_cast<int32_t>(cards(v)));
      for (int32_t c = 0; c < cards(v); ++c) p.value.push_back(c);
    }
    Ints scope;
    for (size_t f = 0; f < n_factors(); ++f) {
      scope.assign(scopes.data() + scope_at(f), scopes.data() + scope_at(f + 1));
      double *own = p.add_factor(scope.data(), static_cast<int32_t>(scope.size()));
      std::copy_n(cells(f, row), p.factors.back().size, own);
    }
    floor = forbid(p);
    p.index();
    return p;
  }

  double score(const Ints &codes, int64_t row) const {
    double total = 0;
    for (size_t f = 0; f < n_factors(); ++f) {
      int64_t cell = 0;
      for (int64_t i = scope_at(f); i < scope_at(f + 1); ++i)
        cell = cell * cards(scopes(i)) + codes[scopes(i)];
      total += cells(f, row)[cell];
    }
    return total;
  }

 private:
  // Cells of -infinity become so low that a vector with one of them is below any without.
  static double forbid(Problem &p) {
    double floor = -1, span = 1;
    std::vector<double> high(p.factors.size(), 0.0);
    for (size_t f = 0; f < p.factors.size(); ++f) {
      double low = -kNever, top = kNever;
      for (int32_t i = 0; i < p.factors[f].size; ++i) {
        const double x = p.cells[p.factors[f].table + i];
        if (x != kNever) low = std::min(low, x), top = std::max(top, x);
      }
      if (top == kNever) continue;
      high[f] = top;
      floor += low;
      span += top - low;
    }
    for (size_t f = 0; f < p.factors.size(); ++f)
      for (int32_t i = 0; i < p.factors[f].size; ++i) {
        double &x = p.cells[p.factors[f].table + i];
        if (x == kNever) x = high[f] - 2 * span;
      }
    return floor;
  }
};

nb::tuple best_vectors(Vector<int64_t> cards, Vector<int64_t> scope_at, Vector<int64_t> scopes,
                       Vector<int64_t> at, Vector<double> shared, Rows<double> rows, int64_t k,
                       int64_t max_nodes, double max_seconds, int threads) {
  const Graph graph{cards, scope_at, scopes, at, shared, rows};
  const auto n = static_cast<int64_t>(rows.shape(0)), d = static_cast<int64_t>(cards.shape(0));
  std::vector<int64_t> codes(n * k * d, 0), nodes(n);
  std::vector<double> score(n * k, kNever), bound(n, kNever);
  {
    nb::gil_scoped_release release;
    parallel_for(n, threads, [&](int64_t row) {
      double floor;
      Problem p = graph.problem(row, floor);
      Ranking best(k, floor);
      Search search(k, {max_nodes, max_seconds});
      bound[row] = search.solve(p, -kNever, best);
      nodes[row] = search.nodes;
      for (size_t i = 0; i < best.entries.size(); ++i) {
        const Ints &found = best.entries[i].codes;
        std::copy(found.begin(), found.end(), codes.data() + (row * k + i) * d);
        score[row * k + i] = graph.score(found, row);
      }
    });
  }
  const auto un = static_cast<size_t>(n), uk = static_cast<size_t>(k), ud = static_cast<size_t>(d);
  return nb::make_tuple(give(std::move(codes), {un, uk, ud}), give(std::move(score), {un, uk}),
                        give(std::move(bound), {un}), give(std::move(nodes), {un}));
}

}  // namespace

void bind_solver(nb::module_ &m) { define(m, "best_vectors", best_vectors); }
