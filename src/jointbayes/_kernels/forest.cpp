// Trees of a random forest grown on ranks, and the classes they vote for.
#include <bit>
#include <numeric>

#include "parallel.hpp"
#include "random.hpp"

namespace {

// Rows whose feature has a code up to `low` go to node `next`, the others, which begin at `high`, to
// the node after it. A leaf has feature −1 and its class in `next`.
struct Node {
  int32_t feature = -1, low = 0, high = 0, next = 0;
};

// The rows of a column that have not code 0, largest code first, and whether codes differ.
struct Ones {
  std::vector<int32_t> rows;
  bool several = false;
};

template <class T> std::vector<Ones> find_ones(Columns<T> columns, int threads) {
  const int64_t n = columns.shape(0);
  std::vector<Ones> found(columns.shape(1));
  parallel_for(columns.shape(1), threads, [&](int64_t j) {
    const T *x = columns.data() + j * n;
    auto &[rows, several] = found[j];
    for (int64_t r = 0; r < n; ++r)
      if (x[r]) rows.push_back(static_cast<int32_t>(r)), several |= x[r] > 1;
    if (several)
      std::sort(rows.begin(), rows.end(), [x](int32_t r, int32_t s) { return x[r] > x[s]; });
  });
  return found;
}

template <class T> class Grower {
 public:
  Grower(Columns<T> columns, Vector<int32_t> target, const std::vector<Ones> &ones,
         int64_t n_classes, int64_t n_tried)
      : columns_(columns), target_(target), ones_(ones), n_tried_(n_tried),
        weight_(columns.shape(0)), total_(n_classes, 0), moved_(n_classes, 0),
        order_(columns.shape(1)), home_(columns.shape(0)), swapped_(columns.shape(1)) {
    std::iota(order_.begin(), order_.end(), 0);
  }

  std::vector<Node> grow(uint64_t key) {
    const int64_t n = columns_.shape(0);
    std::fill(weight_.begin(), weight_.end(), 0);
    for (int64_t i = 0; i < n; ++i) ++weight_[below(stream(key, 0), i, n)];
    rows_.clear();
    for (int64_t r = 0; r < n; ++r) {
      home_[r] = weight_[r] ? 0 : -1;
      if (weight_[r]) rows_.push_back(static_cast<int32_t>(r));
    }
    std::vector<Node> nodes(1);
    std::vector<std::pair<int64_t, int64_t>> ranges{{0, static_cast<int64_t>(rows_.size())}};
    for (size_t v = 0; v < nodes.size(); ++v) {
      begin_ = ranges[v].first, end_ = ranges[v].second, node_ = static_cast<int32_t>(v);
      const uint64_t mine = stream(key, v + 1);
      count();
      if (pure() || !split(mine, nodes[v])) {
        nodes[v].next = majority(mine);
      } else {
        const T *x = columns_.data() + nodes[v].feature * n;
        const auto low = static_cast<T>(nodes[v].low);
        const auto middle = std::partition(rows_.begin() + begin_, rows_.begin() + end_,
                                           [&](int32_t r) { return x[r] <= low; });
        nodes[v].next = static_cast<int32_t>(nodes.size());
        for (auto r = rows_.begin() + begin_; r < rows_.begin() + end_; ++r)
          home_[*r] = nodes[v].next + (r >= middle);
        nodes.resize(nodes.size() + 2);
        ranges.emplace_back(begin_, middle - rows_.begin());
        ranges.emplace_back(middle - rows_.begin(), end_);
      }
      for (int64_t i = begin_; i < end_; ++i) total_[target_(rows_[i])] = 0;
    }
    return nodes;
  }

 private:
  void count() {
    sum_ = squares_ = 0;
    for (int64_t i = begin_; i < end_; ++i) {
      const int64_t w = weight_[rows_[i]];
      int64_t &all = total_[target_(rows_[i])];
      sum_ += w, squares_ += w * (2 * all + w), all += w;
    }
  }

  bool pure() const { return total_[target_(rows_[begin_])] == sum_; }

  // The best split (1) of the features tried; false if all there are are constant here.
  bool split(uint64_t key, Node &node) {
    const int64_t p = columns_.shape(1);
    best_ = -1.0, evenness_ = 0;
    int64_t k = 0;
    for (; k < p && (k < n_tried_ || best_ < 0.0); ++k) {
      swapped_[k] = k + below(key, k, p - k);
      std::swap(order_[k], order_[swapped_[k]]);
      try_feature(order_[k], node);
    }
    while (k-- > 0) std::swap(order_[k], order_[swapped_[k]]);
    return best_ >= 0.0;
  }

  // Move rows from the left to the right, largest code first, and keep the best place to stop.
  void try_feature(int32_t feature, Node &node) {
    const T *x = columns_.data() + feature * static_cast<int64_t>(columns_.shape(0));
    collect(x, ones_[feature]);
    int64_t left = sum_, left_squares = squares_, right = 0, right_squares = 0;
    for (size_t i = 0; i < above_.size();) {
      const uint64_t code = above_[i] >> 32;
      for (; i < above_.size() && above_[i] >> 32 == code; ++i) {
        const auto r = static_cast<uint32_t>(above_[i]);
        const int64_t w = weight_[r], all = total_[target_(r)];
        int64_t &gone = moved_[target_(r)];
        left -= w, right += w;
        left_squares -= w * (2 * (all - gone) - w);
        right_squares += w * (2 * gone + w);
        gone += w;
      }
      if (!left) break;
      const double score = double(left_squares) / double(left) + double(right_squares) / double(right);
      const int64_t evenness = std::min(left, right);
      if (score > best_ || (score == best_ && evenness > evenness_)) {
        best_ = score, evenness_ = evenness;
        const uint64_t low = i < above_.size() ? above_[i] >> 32 : 0;
        node = {feature, static_cast<int32_t>(low), static_cast<int32_t>(code), 0};
      }
    }
    for (uint64_t one : above_) moved_[target_(static_cast<uint32_t>(one))] = 0;
  }

  // Code and row of all rows here that have not code 0, largest code first: picked from those of all
  // nodes, or from all rows here, whichever are fewer.
  void collect(const T *x, const Ones &ones) {
    above_.clear();
    const auto add = [&](int32_t r) { above_.push_back(uint64_t(x[r]) << 32 | uint32_t(r)); };
    const auto size = static_cast<size_t>(end_ - begin_);
    if (ones.rows.size() < size * (ones.several ? std::bit_width(size) : 1)) {
      for (int32_t r : ones.rows)
        if (home_[r] == node_) add(r);
    } else {
      for (int64_t i = begin_; i < end_; ++i)
        if (x[rows_[i]]) add(rows_[i]);
      if (ones.several) std::sort(above_.begin(), above_.end(), std::greater<>());
    }
  }

  int32_t majority(uint64_t key) {
    int64_t most = 0;
    for (int64_t i = begin_; i < end_; ++i) most = std::max(most, total_[target_(rows_[i])]);
    std::vector<int32_t> tied;
    for (int64_t i = begin_; i < end_; ++i)
      if (total_[target_(rows_[i])] == most) tied.push_back(target_(rows_[i]));
    std::sort(tied.begin(), tied.end());
    tied.erase(std::unique(tied.begin(), tied.end()), tied.end());
    return tied[below(key, order_.size(), tied.size())];
  }

  Columns<T> columns_;
  Vector<int32_t> target_;
  const std::vector<Ones> &ones_;
  int64_t n_tried_, begin_ = 0, end_ = 0, sum_ = 0, squares_ = 0;
  double best_ = 0;
  int64_t evenness_ = 0;  // the weight of the lighter side
  std::vector<int64_t> weight_, total_, moved_;
  int32_t node_ = 0;
  std::vector<int32_t> rows_, order_, home_;  // home: the node that a row is in
  std::vector<int64_t> swapped_;
  std::vector<uint64_t> above_;  // code and row
};

template <class T>
nb::tuple grow_forest(Columns<T> columns, Vector<int32_t> target, int64_t n_classes,
                      int64_t n_trees, int64_t n_tried, uint64_t seed, int threads) {
  std::vector<std::vector<Node>> trees(n_trees);
  {
    nb::gil_scoped_release release;
    const auto ones = find_ones(columns, threads);
    threads = static_cast<int>(std::min<int64_t>(threads, n_trees));
    parallel_for(threads, threads, [&](int64_t t) {
      Grower<T> grower(columns, target, ones, n_classes, n_tried);
      for (int64_t b = t; b < n_trees; b += threads) trees[b] = grower.grow(stream(seed, b));
    });
  }
  std::vector<int32_t> nodes;
  std::vector<int64_t> starts{0};
  for (auto &tree : trees) {
    for (const Node &node : tree)
      nodes.insert(nodes.end(), {node.feature, node.low, node.high, node.next});
    starts.push_back(static_cast<int64_t>(nodes.size() / 4));
    std::vector<Node>().swap(tree);
  }
  const size_t m = nodes.size() / 4, all = starts.size();
  return nb::make_tuple(give(std::move(nodes), {m, 4}), give(std::move(starts), {all}));
}

// What a walk reads of a node, in a quarter of a cache line: two lines of the arrays of all trees.
struct Step {
  double threshold;
  int32_t feature, next;
};

constexpr int64_t ABREAST = 8;  // walks at a time: one waits for memory while the others go on

// Take `ABREAST` rows down a tree at once; a row that is at its leaf stays there.
inline void walk_abreast(const Step *tree, const double *x, int64_t p, int32_t *leaf) {
  int32_t at[ABREAST] = {};
  for (int32_t inner = 1; inner;) {
    inner = 0;
    for (int64_t k = 0; k < ABREAST; ++k) {
      const Step &step = tree[at[k]];
      const int32_t going = step.feature >= 0;  // a leaf compares its first feature, for nothing
      const int32_t right = !(x[k * p + (going ? step.feature : 0)] <= step.threshold);
      at[k] = going ? step.next + right : at[k];
      inner |= going;
    }
  }
  for (int64_t k = 0; k < ABREAST; ++k) leaf[k] = tree[at[k]].next;
}

nb::ndarray<nb::numpy, int32_t> forest_votes(Rows<double> X, Rows<int32_t> nodes,
                                             Vector<double> thresholds, Vector<int64_t> starts,
                                             int64_t n_classes, int threads) {
  const int64_t n = X.shape(0), p = X.shape(1);
  const int64_t n_trees = static_cast<int64_t>(starts.shape(0)) - 1;
  std::vector<int32_t> votes(n * n_classes, 0);
  // Rows that go through one tree while it is at hand: many, as a tree is larger than they are.
  const int64_t block_rows = std::clamp<int64_t>((n + threads - 1) / std::max(threads, 1), 64, 4096);
  {
    nb::gil_scoped_release release;
    parallel_for((n + block_rows - 1) / block_rows, threads, [&](int64_t block) {
      const int64_t end = std::min(n, (block + 1) * block_rows);
      std::vector<Step> steps;
      for (int64_t b = 0; b < n_trees; ++b) {
        const int32_t *tree = nodes.data() + 4 * starts(b);
        const double *threshold = thresholds.data() + starts(b);
        const int64_t size = starts(b + 1) - starts(b);
        int64_t r = block * block_rows;
        if (size < 16 * (end - r)) {  // else it is not worth the copy
          steps.resize(size);
          for (int64_t v = 0; v < size; ++v) steps[v] = {threshold[v], tree[4 * v], tree[4 * v + 3]};
          for (; r + ABREAST <= end; r += ABREAST) {
            int32_t leaf[ABREAST];
            walk_abreast(steps.data(), X.data() + r * p, p, leaf);
            for (int64_t k = 0; k < ABREAST; ++k) ++votes[(r + k) * n_classes + leaf[k]];
          }
        }
        for (; r < end; ++r) {
          const double *x = X.data() + r * p;
          int64_t v = 0;
          while (tree[4 * v] >= 0) v = tree[4 * v + 3] + !(x[tree[4 * v]] <= threshold[v]);
          ++votes[r * n_classes + tree[4 * v + 3]];
        }
      }
    });
  }
  return give(std::move(votes), {static_cast<size_t>(n), static_cast<size_t>(n_classes)});
}

}  // namespace

void bind_forest(nb::module_ &m) {
  define(m, "grow_forest", grow_forest<uint8_t>);
  define(m, "grow_forest", grow_forest<uint16_t>);
  define(m, "grow_forest", grow_forest<uint32_t>);
  define(m, "forest_votes", forest_votes);
}
