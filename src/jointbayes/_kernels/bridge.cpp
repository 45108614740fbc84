// The best parents of each feature among the class variables, by BDeu over all small sets.
//
// What is known is the count of every feature value by distinct label vector. Three ways to the
// counts of candidates:
//
// * Few binary parents, whole counts (subset_counts.hpp): rows are bits, and few of them are counted.
// * Most subsets, whole counts (most_subsets.hpp): one parent dropped after the other, features
//   together.
// * Any parents (merged_counts.hpp): the counts of vectors of one configuration are added up.
#include "most_subsets.hpp"
#include "merged_counts.hpp"
#include "subset_counts.hpp"

namespace {

// Up to this many parents the subtraction over their configurations is cheaper than adding up.
constexpr int kFewParents = 5;
// Bits take memory by rows and states; beyond this, features of very many states are added up.
constexpr double kBytes = 1 << 26;
constexpr int kStates = 64;  // of features that are searched together: their counts stay in caches
constexpr int kDecided = 4;  // parents whose choices are searched apart, on threads

class Bridge {
 public:
  Bridge(const Known &known, std::vector<Child> children, double ess, bool whole, int exhaustive,
         int limit, int threads)
      : candidates(children.size(), 0), chosen(children.size()), scores(children.size()),
        known_(known), children_(std::move(children)), exhaustive_(exhaustive), limit_(limit),
        threads_(threads), whole_(whole), n_(rows(known)), gammas_(n_, ess, whole),
        winners_(children_.size(), Winners(exhaustive)), searched_(children_.size(), 0) {}

  void search() {
    const bool binary =
        std::all_of(known_.cards.begin(), known_.cards.end(), [](int k) { return k == 2; });
    by_bits(whole_ && binary ? std::min(exhaustive_, kFewParents) : 0);
    const int after = children_.empty() ? 0 : *std::min_element(searched_.begin(), searched_.end());
    // Where sets stay small, most of those that it passes on its way would not count.
    const bool most = 2 * exhaustive_ >= static_cast<int>(known_.cards.size());
    if (whole_ && most && exhaustive_ > after && n_ < (1 << 30) && Search<int32_t>::fits(known_)) {
      if (n_ < (1 << 16)) most_subsets<uint16_t>(after);
      else most_subsets<int32_t>(after);
    }
    by_merging();
  }

  std::vector<int64_t> candidates;
  std::vector<std::vector<int>> chosen;
  std::vector<double> scores;

 private:
  static double rows(const Known &known) {
    double n = 0;
    for (int64_t u = 0; u < known.n_vectors; ++u) n += known.rows[u];
    return n;
  }

  void by_bits(int few) {
    const auto d = static_cast<int>(known_.cards.size());
    const RowBits labels = few ? RowBits::of_parents(known_, n_) : RowBits(0, 0);
    parallel_for(children_.size(), threads_, [&](int64_t i) {
      const Child &child = children_[i];
      winners_[i].scores[0] = Merge(known_, child, gammas_).score_alone();
      candidates[i] = 1;
      if (!few || Moebius::bytes(static_cast<int64_t>(n_), child.states, d, few) > kBytes) return;
      Moebius moebius(labels, RowBits::of_child(known_, child, n_), child.states, d, gammas_, few);
      moebius.search(winners_[i]);
      candidates[i] += moebius.candidates;
      searched_[i] = few;
    });
  }

  template <class Count> void most_subsets(int after) {
    std::vector<std::vector<size_t>> groups;
    int states = kStates;
    for (size_t i = 0; i < children_.size(); ++i) {
      if (searched_[i] != after) continue;
      if (states + children_[i].states > kStates) groups.emplace_back(), states = 0;
      groups.back().push_back(i);
      states += children_[i].states;
    }
    const auto d = static_cast<int>(known_.cards.size());
    const int decided = std::min(kDecided, d - 1), parts = 1 << decided;
    for (const auto &group : groups) {
      std::vector<Child> some;
      std::vector<double> best;
      for (size_t i : group) {
        some.push_back(children_[i]);
        const auto &known = winners_[i].scores;
        best.push_back(*std::max_element(known.begin(), known.end()));
      }
      const Search<Count> search(known_, some, after, exhaustive_);
      std::vector<std::vector<std::vector<Candidate>>> found(parts);
      std::vector<int64_t> subsets(parts, 0);
      parallel_for(parts, threads_, [&](int64_t part) {
        SubsetTree<Count> tree(search, gammas_, best);
        tree.run(part, decided);
        found[part] = std::move(tree.found);
        subsets[part] = tree.subsets;
      });
      for (size_t c = 0; c < group.size(); ++c) {
        std::vector<Candidate> all;
        for (const auto &each : found) all.insert(all.end(), each[c].begin(), each[c].end());
        offer(all, winners_[group[c]]);
        for (int64_t n : subsets) candidates[group[c]] += n;
        searched_[group[c]] = exhaustive_;
      }
    }
  }

  void offer(std::vector<Candidate> &all, Winners &winners) const {  // the earlier ones first
    std::sort(all.begin(), all.end(),
              [](const Candidate &a, const Candidate &b) { return a.set > b.set; });
    for (const auto &[set, score] : all) {
      std::vector<int> members;
      for (size_t p = 0; p < known_.cards.size(); ++p)
        if (set >> (known_.cards.size() - 1 - p) & 1) members.push_back(static_cast<int>(p));
      const int last = members.back();
      members.pop_back();
      winners.offer(score, members, last);
    }
  }

  void by_merging() {
    parallel_for(children_.size(), threads_, [&](int64_t i) {
      Merge merge(known_, children_[i], gammas_);
      merge.search(searched_[i], exhaustive_, winners_[i]);
      const size_t size = winners_[i].size();
      chosen[i] = winners_[i].sets[size];
      scores[i] = winners_[i].scores[size];
      if (static_cast<int>(size) == exhaustive_) merge.grow(chosen[i], scores[i], limit_);
      std::sort(chosen[i].begin(), chosen[i].end());
      candidates[i] += merge.candidates;
    });
  }

  const Known &known_;
  const std::vector<Child> children_;
  const int exhaustive_, limit_, threads_;
  const bool whole_;
  const double n_;
  GammaTables gammas_;
  std::vector<Winners> winners_;
  std::vector<int> searched_;  // up to which size, of each feature
};

nb::tuple best_parents(Columns<uint32_t> vectors, Vector<int64_t> cards, Vector<double> rows,
                       Rows<double> counts, Vector<int64_t> offsets, double ess, int exhaustive,
                       int limit, int threads) {
  const int64_t n_vectors = vectors.shape(0), m = offsets.shape(0) - 1;
  std::vector<int32_t> sets(m * limit, -1);
  std::vector<double> scores;
  std::vector<int64_t> candidates;
  {
    nb::gil_scoped_release release;
    const Known known{vectors.data(), rows.data(), n_vectors,
                      {cards.data(), cards.data() + vectors.shape(1)}};
    std::vector<Child> children;
    for (int64_t i = 0; i < m; ++i)
      children.push_back({counts.data() + offsets(i), static_cast<int64_t>(counts.shape(1)),
                          static_cast<int>(offsets(i + 1) - offsets(i))});
    auto whole = [](double x) { return x == std::floor(x); };
    const bool exact = std::all_of(rows.data(), rows.data() + n_vectors, whole) &&
                       std::all_of(counts.data(), counts.data() + counts.size(), whole);
    Bridge bridge(known, std::move(children), ess, exact, exhaustive, limit, threads);
    bridge.search();
    for (int64_t i = 0; i < m; ++i)
      std::copy(bridge.chosen[i].begin(), bridge.chosen[i].end(), sets.begin() + i * limit);
    scores = std::move(bridge.scores);
    candidates = std::move(bridge.candidates);
  }
  const size_t answers = static_cast<size_t>(m);
  return nb::make_tuple(give(std::move(sets), {answers, static_cast<size_t>(limit)}),
                        give(std::move(scores), {answers}), give(std::move(candidates), {answers}));
}

}  // namespace

void bind_bridge(nb::module_ &m) { define(m, "best_parents", best_parents); }
