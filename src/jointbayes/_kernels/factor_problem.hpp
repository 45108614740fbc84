// A factor graph of one row as the search sees it: to be maximised over the values that are left.
// Numbers of variables and of values are local; `variable` and `value` say which they are outside.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

using Ints = std::vector<int32_t>;
using Doubles = std::vector<double>;

struct Factor {
  int32_t scope, arity;  // its variables, ascending: scopes[scope … scope + arity - 1]
  int32_t table, size;   // its cells, the last variable fastest: cells[table … table + size - 1]
};

// A factor that mentions a variable, and how its table lies there: `outer` blocks of card × `inner`.
struct Use {
  int32_t factor, table, outer, inner;
  bool first, last;  // whether the variable is the first or the last of the scope
};

struct Problem {
  double constant = 0;
  Ints variable, card, unary_at, value;  // value: the code of each entry of `unary`
  Doubles unary;
  std::vector<Factor> factors;
  Ints scopes;
  Doubles cells;
  Ints use_at;
  std::vector<Use> uses;
  Ints codes;  // of all variables outside; those that are not fixed yet hold anything

  int32_t size() const { return static_cast<int32_t>(card.size()); }

  void add_variable(int32_t name, int32_t n_values) {
    if (unary_at.empty()) unary_at.push_back(0);
    variable.push_back(name);
    card.push_back(n_values);
    unary_at.push_back(unary_at.back() + n_values);
    unary.resize(unary_at.back(), 0.0);
  }

  // Where the cells of a new factor are to be written.
  double *add_factor(const int32_t *scope, int32_t arity) {
    int32_t size = 1;
    for (int32_t i = 0; i < arity; ++i) size *= card[scope[i]];
    factors.push_back({static_cast<int32_t>(scopes.size()), arity,
                       static_cast<int32_t>(cells.size()), size});
    scopes.insert(scopes.end(), scope, scope + arity);
    cells.resize(cells.size() + size, 0.0);
    return cells.data() + factors.back().table;
  }

  // Index the factors by variable, once all are there.
  void index() {
    use_at.assign(size() + 1, 0);
    for (int32_t v : scopes) ++use_at[v + 1];
    std::partial_sum(use_at.begin(), use_at.end(), use_at.begin());
    uses.resize(scopes.size());
    Ints next(use_at.begin(), use_at.end() - 1);
    for (int32_t number = 0; number < static_cast<int32_t>(factors.size()); ++number) {
      const Factor &f = factors[number];
      for (int32_t i = 0, outer = 1, inner = f.size; i < f.arity; ++i) {
        const int32_t v = scopes[f.scope + i];
        inner /= card[v];
        uses[next[v]++] = {number, f.table, outer, inner, i == 0, i + 1 == f.arity};
        outer *= card[v];
      }
    }
  }
};

// Keep the values that are alive. Variables with one value left are fixed, factors are cut down to
// the others, and those that end up over the same variables, or over two of another's, are added up.
class Shrink {
 public:
  Shrink(const Problem &from, const std::vector<char> &alive) : from_(from), alive_(alive) {
    to_.constant = from.constant;
    to_.codes = from.codes;
    keep_variables();
    // Larger factors first, so that pairs find their hosts.
    Ints order(from.factors.size());
    std::iota(order.begin(), order.end(), 0);
    Ints arity(order.size());
    for (size_t i = 0; i < order.size(); ++i) arity[i] = left(from.factors[i]);
    std::stable_sort(order.begin(), order.end(),
                     [&](int32_t a, int32_t b) { return arity[a] > arity[b]; });
    pair_host_.assign(static_cast<size_t>(to_.size()) * to_.size(), -1);
    latest_.assign(to_.size(), -1);
    for (int32_t i : order) cut(from.factors[i]);
    to_.index();
  }

  Problem &&result() { return std::move(to_); }

 private:
  const Problem &from_;
  const std::vector<char> &alive_;
  Problem to_;
  Ints place_, kept_, kept_at_;  // new number of a variable or -1; values that are left
  Ints pair_host_;
  Ints latest_, before_;  // new factors by their first variable: the last one, and before each
  Ints scope_, offset_, next_;  // of the factor at hand
  const double *cells_ = nullptr;
  size_t count_ = 0;
  Doubles gathered_;

  void keep_variables() {
    place_.assign(from_.size(), -1);
    kept_at_.push_back(0);
    for (int32_t v = 0; v < from_.size(); ++v) {
      for (int32_t c = 0; c < from_.card[v]; ++c)
        if (alive_[from_.unary_at[v] + c]) kept_.push_back(c);
      kept_at_.push_back(static_cast<int32_t>(kept_.size()));
      const int32_t count = kept_at_[v + 1] - kept_at_[v], *values = kept_.data() + kept_at_[v];
      if (count == 1) {
        const int32_t at = from_.unary_at[v] + values[0];
        to_.constant += from_.unary[at];
        to_.codes[from_.variable[v]] = from_.value[at];
        continue;
      }
      place_[v] = to_.size();
      to_.add_variable(from_.variable[v], count);
      for (int32_t c = 0; c < count; ++c) {
        const int32_t at = from_.unary_at[v] + values[c];
        to_.unary[to_.unary_at[place_[v]] + c] = from_.unary[at];
        to_.value.push_back(from_.value[at]);
      }
    }
  }

  int32_t left(const Factor &f) const {
    int32_t n = 0;
    for (int32_t i = 0; i < f.arity; ++i) n += place_[from_.scopes[f.scope + i]] >= 0;
    return n;
  }

  // offset_ = the sums of one entry of every list so far, and one of a new list: `count` steps.
  void combine(int32_t count, const int32_t *steps, int32_t scale) {
    next_.clear();
    for (int32_t base : offset_)
      for (int32_t k = 0; k < count; ++k) next_.push_back(base + scale * (steps ? steps[k] : k));
    offset_.swap(next_);
  }

  // Cut a factor down to the scope and the cells that are left: its own if all of them are.
  void slice(const Factor &f) {
    scope_.clear();
    bool whole = true;
    for (int32_t i = 0; i < f.arity; ++i) {
      const int32_t v = from_.scopes[f.scope + i];
      whole &= kept_at_[v + 1] - kept_at_[v] == from_.card[v];
      if (place_[v] >= 0) scope_.push_back(place_[v]);
    }
    cells_ = from_.cells.data() + f.table;
    count_ = f.size;
    if (whole) return;
    offset_.assign(1, 0);
    for (int32_t i = 0, inner = f.size; i < f.arity; ++i) {
      const int32_t v = from_.scopes[f.scope + i];
      inner /= from_.card[v];
      combine(kept_at_[v + 1] - kept_at_[v], kept_.data() + kept_at_[v], inner);
    }
    gathered_.clear();
    for (int32_t at : offset_) gathered_.push_back(cells_[at]);
    cells_ = gathered_.data();
    count_ = gathered_.size();
  }

  void cut(const Factor &f) {
    slice(f);
    if (scope_.empty()) {
      to_.constant += cells_[0];
    } else if (scope_.size() == 1) {
      double *unary = to_.unary.data() + to_.unary_at[scope_[0]];
      for (size_t c = 0; c < count_; ++c) unary[c] += cells_[c];
    } else if (const int32_t host = host_of(scope_); host >= 0) {
      add(to_.factors[host]);
    } else {
      std::copy_n(cells_, count_,
                  to_.add_factor(scope_.data(), static_cast<int32_t>(scope_.size())));
      remember(scope_);
    }
  }

  int32_t host_of(const Ints &scope) const {
    const int32_t pair = pair_host_[scope[0] * to_.size() + scope[1]];
    if (scope.size() == 2 || pair < 0) return pair;
    for (int32_t f = latest_[scope[0]]; f >= 0; f = before_[f]) {
      const int32_t *own = to_.scopes.data() + to_.factors[f].scope;
      if (std::equal(scope.begin(), scope.end(), own, own + to_.factors[f].arity)) return f;
    }
    return -1;
  }

  void remember(const Ints &scope) {
    const auto factor = static_cast<int32_t>(to_.factors.size()) - 1;
    before_.push_back(latest_[scope[0]]);
    latest_[scope[0]] = factor;
    for (size_t i = 0; i < scope.size(); ++i)
      for (size_t j = i + 1; j < scope.size(); ++j)
        pair_host_[scope[i] * to_.size() + scope[j]] = factor;
  }

  // Add the cells over scope_ to a factor whose scope contains it.
  void add(const Factor &host) {
    offset_.assign(1, 0);
    for (int32_t i = 0; i < host.arity; ++i) {
      const int32_t v = to_.scopes[host.scope + i];
      int32_t inner = 0, stride = 1;
      for (size_t q = scope_.size(); q-- > 0; stride *= to_.card[scope_[q]])
        if (scope_[q] == v) inner = stride;
      combine(to_.card[v], nullptr, inner);
    }
    for (int32_t i = 0; i < host.size; ++i) to_.cells[host.table + i] += cells_[offset_[i]];
  }
};
