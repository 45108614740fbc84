// Trees grown for all labels together on binned columns, the leaves of rows, and what leaves hold.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "parallel.hpp"
#include "random.hpp"

namespace {

constexpr int kMissing = 255;
constexpr int64_t kScan = 2;  // stored codes that are read as fast as one row's mark is looked up

// Rows whose feature has a code up to `cut` go to node `next`, the others to the node after it;
// missing ones as `missing_left` says. A leaf has feature −1 and its number in `next`.
struct Node {
  int32_t feature = -1, cut = 0, missing_left = 0, next = 0;
};

constexpr int64_t kWords = 32;  // of marks, at most: 256 bytes a row

// Column j is dense column slot[j], or, below 0, sparse column −1 − slot[j]: its codes unlike the
// default, by increasing row. Each row has a mark for every sparse column where it is unlike the
// default, so that columns are seldom searched in vain; of many columns several share a mark.
struct Binned {
  explicit Binned(const nb::tuple &stored)
      : dense(part<Columns<uint8_t>>(stored, 0)), slot(part<Vector<int32_t>>(stored, 1)),
        indptr(part<Vector<int64_t>>(stored, 2)), rows(part<Vector<int32_t>>(stored, 3)),
        codes(part<Vector<uint8_t>>(stored, 4)), defaults(part<Vector<uint8_t>>(stored, 5)) {}

  void mark(int64_t n_rows) {
    const auto n_sparse = static_cast<int64_t>(defaults.shape(0));
    words = std::min(kWords, n_sparse / 64 + 1);
    marks.assign(n_rows * words, 0);
    for (int64_t s = 0; s < n_sparse; ++s)
      for (int64_t i = indptr(s); i < indptr(s + 1); ++i) word(rows(i), s) |= bit(s);
  }

  uint64_t &word(int64_t row, int64_t s) { return marks[row * words + s / 64 % words]; }
  bool marked(int64_t row, int64_t s) const {
    return marks[row * words + s / 64 % words] & bit(s);
  }
  static uint64_t bit(int64_t s) { return uint64_t{1} << s % 64; }

  template <class Array> static Array part(const nb::tuple &stored, size_t i) {
    return taken<Array>(stored[i], "a part of columns");
  }

  Columns<uint8_t> dense;
  Vector<int32_t> slot;
  Vector<int64_t> indptr;
  Vector<int32_t> rows;
  Vector<uint8_t> codes, defaults;
  std::vector<uint64_t> marks;
  int64_t words = 0;  // of a row
};

// The label vector of each row, by number, and the label values it holds: items, each of which
// counts `worth` in (1).
struct Target {
  explicit Target(const nb::tuple &labels)
      : sets(part<Vector<int32_t>>(labels, 0)), indptr(part<Vector<int64_t>>(labels, 1)),
        items(part<Vector<int32_t>>(labels, 2)), worth(part<Vector<double>>(labels, 3)),
        weights(part<Vector<double>>(labels, 4)) {}

  template <class Array> static Array part(const nb::tuple &labels, size_t i) {
    return taken<Array>(labels[i], "a part of target");
  }

  Vector<int32_t> sets;
  Vector<int64_t> indptr;
  Vector<int32_t> items;
  Vector<double> worth, weights;
};

struct Tree {
  std::vector<Node> nodes;
  std::vector<double> gains;
};

class Grower {
 public:
  Grower(const Binned &columns, const Target &target, int64_t n_tried, int64_t n_cuts,
         int64_t min_split)
      : x_(columns), y_(target), n_tried_(n_tried), n_cuts_(n_cuts),
        min_split_(min_split),
        total_(target.worth.shape(0), 0.0), part_(target.worth.shape(0), 0.0),
        order_(columns.slot.shape(0)), home_(target.sets.shape(0)), swapped_(order_.size()) {
    std::iota(order_.begin(), order_.end(), 0);
  }

  // `homes` gets the node that each row ends in, −1 outside the bag.
  Tree grow(uint64_t key, const uint8_t *bag, int32_t *homes) {
    rows_.clear();
    for (size_t r = 0; r < home_.size(); ++r) {
      home_[r] = bag[r] ? 0 : -1;
      if (bag[r]) rows_.push_back(static_cast<int32_t>(r));
    }
    Tree tree{std::vector<Node>(1), std::vector<double>(1, 0.0)};
    std::vector<std::pair<int64_t, int64_t>> ranges{{0, static_cast<int64_t>(rows_.size())}};
    for (size_t v = 0; v < tree.nodes.size(); ++v) {
      begin_ = ranges[v].first, end_ = ranges[v].second, node_ = static_cast<int32_t>(v);
      if (end_ - begin_ < min_split_ || pure()) continue;
      count();
      Node node;
      const bool divisible = split(stream(key, v + 1), node);
      for (int64_t i = begin_; i < end_; ++i) forget(rows_[i], total_);
      if (!divisible) continue;
      const int64_t middle = divide(node, static_cast<int32_t>(tree.nodes.size()));
      tree.nodes[v] = node, tree.gains[v] = best_ - squares_ / sum_;
      tree.nodes.resize(tree.nodes.size() + 2), tree.gains.resize(tree.gains.size() + 2, 0.0);
      ranges.emplace_back(begin_, middle);
      ranges.emplace_back(middle, end_);
    }
    std::copy(home_.begin(), home_.end(), homes);
    return tree;
  }

 private:
  int64_t size() const { return end_ - begin_; }
  bool found() const { return std::isfinite(best_); }

  bool pure() const {
    const int32_t first = y_.sets(rows_[begin_]);
    return std::all_of(rows_.begin() + begin_, rows_.begin() + end_,
                       [&](int32_t r) { return y_.sets(r) == first; });
  }

  void forget(int32_t r, std::vector<double> &sums) {
    for (int64_t i = y_.indptr(r); i < y_.indptr(r + 1); ++i) sums[y_.items(i)] = 0.0;
  }

  void count() {
    sum_ = squares_ = 0.0;
    for (int64_t i = begin_; i < end_; ++i) {
      const double w = y_.weights(rows_[i]);
      sum_ += w;
      for (int64_t k = y_.indptr(rows_[i]); k < y_.indptr(rows_[i] + 1); ++k) {
        double &all = total_[y_.items(k)];
        squares_ += y_.worth(y_.items(k)) * w * (2.0 * all + w);
        all += w;
      }
    }
  }

  // The best split (1) of the features tried; false if all there are are constant here.
  bool split(uint64_t key, Node &node) {
    const auto p = static_cast<int64_t>(order_.size());
    best_ = -std::numeric_limits<double>::infinity();
    int64_t k = 0;
    for (; k < p && (k < n_tried_ || !found()); ++k) {
      swapped_[k] = k + below(key, k, p - k);
      std::swap(order_[k], order_[swapped_[k]]);
      try_feature(order_[k], key, p + k * n_cuts_, node);
    }
    while (k-- > 0) std::swap(order_[k], order_[swapped_[k]]);
    return found();
  }

  void try_feature(int32_t feature, uint64_t key, uint64_t index, Node &node) {
    collect(feature);
    int low = kMissing, high = -1;
    bool missing = false;
    const auto see = [&](int code) {
      if (code == kMissing) missing = true;
      else low = std::min(low, code), high = std::max(high, code);
    };
    for (uint8_t code : codes_) see(code);
    if (n_default_) see(default_);
    if (high < low || (low == high && !missing)) return;
    for (int64_t c = 0; c < n_cuts_ && (c == 0 || high - low > 1); ++c) {  // else all are equal
      const int cut = low + static_cast<int>(uniform(key, index + c) * (high - low));
      try_cut({feature, cut, 0, 0}, missing, node);
      if (missing && low < high) try_cut({feature, cut, 1, 0}, missing, node);
    }
  }

  // The codes of the rows here: of all, or of those unlike the default, which the others have.
  void collect(int32_t feature) {
    codes_.clear();
    const int32_t slot = x_.slot(feature);
    if (slot >= 0) {
      const uint8_t *x = x_.dense.data() + slot * static_cast<int64_t>(x_.dense.shape(0));
      for (int64_t i = begin_; i < end_; ++i) codes_.push_back(x[rows_[i]]);
      n_default_ = 0, listed_ = rows_.data() + begin_;
      return;
    }
    listed_rows_.clear();
    const int32_t *from = x_.rows.data() + x_.indptr(-1 - slot);
    const int32_t *to = x_.rows.data() + x_.indptr(-slot);
    const uint8_t *codes = x_.codes.data() + x_.indptr(-1 - slot);
    const auto take = [&](const int32_t *at) {
      listed_rows_.push_back(*at), codes_.push_back(codes[at - from]);
    };
    if (to - from < kScan * size()) {
      for (const int32_t *at = from; at < to; ++at)
        if (home_[*at] == node_) take(at);
    } else {
      for (int64_t i = begin_; i < end_; ++i) {
        if (!x_.marked(rows_[i], -1 - slot)) continue;
        if (const int32_t *at = std::lower_bound(from, to, rows_[i]); at < to && *at == rows_[i])
          take(at);
      }
    }
    default_ = x_.defaults(-1 - slot);
    n_default_ = size() - static_cast<int64_t>(codes_.size()), listed_ = listed_rows_.data();
  }

  static bool goes_left(uint8_t code, const Node &node) {
    return code == kMissing ? node.missing_left : code <= node.cut;
  }

  // Sum up the side with fewer rows; the other side is what is left.
  void try_cut(Node split, bool missing, Node &node) {
    const bool default_left = goes_left(default_, split);
    int64_t n_left = default_left ? n_default_ : 0;
    for (uint8_t code : codes_) n_left += goes_left(code, split);
    const bool left = 2 * n_left <= size();
    if (n_default_ && default_left == left) list_all();
    double w_side = 0.0, squares = 0.0, cross = 0.0;
    for (size_t i = 0; i < codes_.size(); ++i) {
      if (goes_left(codes_[i], split) != left) continue;
      const int32_t r = listed_[i];
      const double w = y_.weights(r);
      w_side += w;
      for (int64_t k = y_.indptr(r); k < y_.indptr(r + 1); ++k) {
        const int32_t item = y_.items(k);
        const double g = y_.worth(item) * w;
        squares += g * (2.0 * part_[item] + w), cross += g * total_[item];
        part_[item] += w;
      }
    }
    for (size_t i = 0; i < codes_.size(); ++i)
      if (goes_left(codes_[i], split) == left) forget(listed_[i], part_);
    const double rest = sum_ - w_side;
    const double score = squares / w_side + (squares_ - 2.0 * cross + squares) / rest;
    if (!(score > best_)) return;
    best_ = score, node = split;
    if (!missing) node.missing_left = (left ? w_side : rest) >= (left ? rest : w_side);
  }

  void list_all() {
    std::vector<int32_t> rows(rows_.begin() + begin_, rows_.begin() + end_);
    std::vector<uint8_t> codes(rows.size(), default_);
    for (size_t i = 0, at = 0; i < listed_rows_.size(); ++i) {
      while (rows[at] != listed_rows_[i]) ++at;
      codes[at] = codes_[i];
    }
    listed_rows_.swap(rows), codes_.swap(codes);
    n_default_ = 0, listed_ = listed_rows_.data();
  }

  // Rows keep their order, so that sums do not depend on how a column is stored.
  int64_t divide(Node &node, int32_t next) {
    node.next = next;
    collect(node.feature);
    if (n_default_) list_all();
    right_.clear();
    int64_t middle = begin_;
    for (int64_t i = begin_; i < end_; ++i) {
      const int32_t r = rows_[i];
      const bool left = goes_left(codes_[i - begin_], node);
      home_[r] = next + !left;
      if (left) rows_[middle++] = r;
      else right_.push_back(r);
    }
    std::copy(right_.begin(), right_.end(), rows_.begin() + middle);
    return middle;
  }

  const Binned &x_;
  const Target &y_;
  int64_t n_tried_, n_cuts_, min_split_, begin_ = 0, end_ = 0;
  double sum_ = 0.0, squares_ = 0.0, best_ = 0.0;
  std::vector<double> total_, part_;
  std::vector<int32_t> order_, home_, rows_, right_;  // home: the node that a row is in
  std::vector<int64_t> swapped_;
  int32_t node_ = 0;
  // What `collect` found: codes of listed rows, and how many others have the default.
  std::vector<uint8_t> codes_;
  std::vector<int32_t> listed_rows_;
  const int32_t *listed_ = nullptr;
  uint8_t default_ = 0;
  int64_t n_default_ = 0;
};

nb::tuple grow_joint_forest(const nb::tuple &columns, const nb::tuple &target, Rows<uint8_t> bags,
                            int64_t n_tried, int64_t n_cuts, int64_t min_split, uint64_t seed,
                            int threads) {
  Binned x(columns);
  const Target y(target);
  const auto n_trees = static_cast<int64_t>(bags.shape(0));
  const auto n = static_cast<int64_t>(bags.shape(1));
  std::vector<Tree> trees(n_trees);
  std::vector<int32_t> leaves(n_trees * n);
  {
    nb::gil_scoped_release release;
    x.mark(n);
    threads = static_cast<int>(std::min<int64_t>(threads, n_trees));
    parallel_for(threads, threads, [&](int64_t t) {
      Grower grower(x, y, n_tried, n_cuts, min_split);
      for (int64_t b = t; b < n_trees; b += threads)
        trees[b] = grower.grow(stream(seed, b), bags.data() + b * n, leaves.data() + b * n);
    });
  }
  std::vector<int32_t> nodes;
  std::vector<double> gains;
  std::vector<int64_t> starts{0};
  int32_t n_leaves = 0;
  for (int64_t b = 0; b < n_trees; ++b) {
    Tree &tree = trees[b];
    for (Node &node : tree.nodes) {
      if (node.feature < 0) node.next = n_leaves++;
      nodes.insert(nodes.end(), {node.feature, node.cut, node.missing_left, node.next});
    }
    for (int64_t i = b * n; i < (b + 1) * n; ++i)
      if (leaves[i] >= 0) leaves[i] = tree.nodes[leaves[i]].next;
    gains.insert(gains.end(), tree.gains.begin(), tree.gains.end());
    starts.push_back(static_cast<int64_t>(nodes.size() / 4));
    tree = Tree();
  }
  const size_t m = nodes.size() / 4, all = starts.size();
  return nb::make_tuple(give(std::move(nodes), {m, 4}), give(std::move(starts), {all}),
                        give(std::move(gains), {m}),
                        give(std::move(leaves), {bags.shape(0), bags.shape(1)}));
}

constexpr int64_t kBlock = 256;  // rows that go through one tree while it is at hand
constexpr int64_t kAbreast = 16;  // walkers that take their steps in turn, so that none waits alone

// On its way down a tree; where it ends, node[3] is the number of the leaf.
struct Walker {
  const uint8_t *x;
  const int32_t *tree, *node;
};

void walk_down(Walker *walkers, int64_t n) {
  for (bool moved = true; moved;) {
    moved = false;
    for (Walker *w = walkers; w < walkers + n; ++w) {
      if (w->node[0] < 0) continue;
      const int code = w->x[w->node[0]];
      const bool left = code == kMissing ? w->node[2] : code <= w->node[1];
      w->node = w->tree + 4 * static_cast<int64_t>(w->node[3] + !left);
      moved = true;
    }
  }
}

nb::ndarray<nb::numpy, int32_t> joint_forest_leaves(Rows<uint8_t> codes, Rows<int32_t> nodes,
                                                    Vector<int64_t> starts, int threads) {
  const int64_t n = codes.shape(0), p = codes.shape(1);
  const int64_t n_trees = static_cast<int64_t>(starts.shape(0)) - 1;
  const int64_t high = n < kAbreast ? 1 : kAbreast, wide = kAbreast / high;
  std::vector<int32_t> leaves(n * n_trees);
  // From a corner, so many rows through so many trees: of few rows, trees are many.
  const auto answer = [&](int64_t row, int64_t rows, int64_t tree, int64_t trees) {
    Walker walkers[kAbreast];
    for (int64_t i = 0; i < rows * trees; ++i) {
      const int32_t *top = nodes.data() + 4 * starts(tree + i % trees);
      walkers[i] = {codes.data() + (row + i / trees) * p, top, top};
    }
    walk_down(walkers, rows * trees);
    for (int64_t i = 0; i < rows * trees; ++i)
      leaves[(row + i / trees) * n_trees + tree + i % trees] = walkers[i].node[3];
  };
  {
    nb::gil_scoped_release release;
    parallel_for((n + kBlock - 1) / kBlock, threads, [&](int64_t block) {
      const int64_t end = std::min(n, (block + 1) * kBlock);
      for (int64_t b = 0; b < n_trees; b += wide)
        for (int64_t r = block * kBlock; r < end; r += high)
          answer(r, std::min(high, end - r), b, std::min(wide, n_trees - b));
    });
  }
  return give(std::move(leaves), {static_cast<size_t>(n), static_cast<size_t>(n_trees)});
}

nb::ndarray<nb::numpy, double> add_leaves(Rows<int32_t> leaves, Vector<int64_t> indptr,
                                          Vector<int32_t> sets, Vector<double> shares,
                                          int64_t n_sets, int threads) {
  const int64_t n = leaves.shape(0), n_trees = leaves.shape(1);
  std::vector<double> sums(n * n_sets, 0.0);
  {
    nb::gil_scoped_release release;
    parallel_for((n + kBlock - 1) / kBlock, threads, [&](int64_t block) {
      for (int64_t r = block * kBlock; r < std::min(n, (block + 1) * kBlock); ++r)
        for (int64_t b = 0; b < n_trees; ++b) {
          const int32_t leaf = leaves(r, b);
          if (leaf < 0) continue;
          for (int64_t i = indptr(leaf); i < indptr(leaf + 1); ++i)
            sums[r * n_sets + sets(i)] += shares(i);
        }
    });
  }
  return give(std::move(sums), {static_cast<size_t>(n), static_cast<size_t>(n_sets)});
}

}  // namespace

void bind_joint_forest(nb::module_ &m) {
  define(m, "grow_joint_forest", grow_joint_forest);
  define(m, "joint_forest_leaves", joint_forest_leaves);
  define(m, "add_leaves", add_leaves);
}
