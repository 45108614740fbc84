// The best parents of each feature among the class variables, by BDeu over all small sets.
//
// What is known is the count of every feature value by distinct label vector. Two ways to the
// counts of a candidate, which is a prefix of parents and one more:
//
// * Any parents (merged_counts.hpp): the counts of vectors of one configuration are added up.
// * Few binary parents, whole counts (subset_counts.hpp): rows are bits, and few of them are counted.
#include "merged_counts.hpp"
#include "subset_counts.hpp"

namespace {

// Up to this many parents the subtraction over their configurations is cheaper than adding up.
constexpr int kFewParents = 5;
// Bits take memory by rows and states; beyond this, features of very many states are added up.
constexpr double kBytes = 1 << 26;

nb::tuple best_parents(Columns<uint32_t> vectors, Vector<int64_t> cards, Vector<double> rows,
                       Rows<double> counts, Vector<int64_t> offsets, double ess, int exhaustive,
                       int limit, int threads) {
  const int64_t n_vectors = vectors.shape(0), m = offsets.shape(0) - 1;
  std::vector<int32_t> sets(m * limit, -1);
  std::vector<double> scores(m);
  std::vector<int64_t> candidates(m);
  {
    nb::gil_scoped_release release;
    const Known known{vectors.data(), rows.data(), n_vectors, {cards.data(), cards.data() + vectors.shape(1)}};
    auto whole = [](double x) { return x == std::floor(x); };
    const bool exact = std::all_of(rows.data(), rows.data() + n_vectors, whole) &&
                       std::all_of(counts.data(), counts.data() + counts.size(), whole);
    const bool binary = std::all_of(known.cards.begin(), known.cards.end(), [](int k) { return k == 2; });
    double n = 0;
    for (int64_t u = 0; u < n_vectors; ++u) n += rows(u);
    const int few = exact && binary ? std::min(exhaustive, kFewParents) : 0;
    GammaTables gammas(n, ess, exact);
    const RowBits labels = few ? RowBits::of_parents(known, n) : RowBits(0, 0);
    parallel_for(m, threads, [&](int64_t i) {
      const Child child{counts.data() + offsets(i), static_cast<int64_t>(counts.shape(1)),
                        static_cast<int>(offsets(i + 1) - offsets(i))};
      Winners winners(exhaustive);
      Merge merge(known, child, gammas);
      winners.scores[0] = merge.score_alone();
      const auto d = static_cast<int>(known.cards.size());
      const bool bits = few && Moebius::bytes(static_cast<int64_t>(n), child.states, d, few) <= kBytes;
      if (bits) {
        Moebius moebius(labels, RowBits::of_child(known, child, n), child.states, d, gammas, few);
        moebius.search(winners);
        candidates[i] += moebius.candidates;
      }
      merge.search(bits ? few : 0, exhaustive, winners);
      const size_t size = winners.size();
      std::vector<int> chosen = winners.sets[size];
      scores[i] = winners.scores[size];
      if (static_cast<int>(size) == exhaustive) merge.grow(chosen, scores[i], limit);
      std::sort(chosen.begin(), chosen.end());
      std::copy(chosen.begin(), chosen.end(), sets.begin() + i * limit);
      candidates[i] += 1 + merge.candidates;
    });
  }
  const size_t answers = static_cast<size_t>(m);
  return nb::make_tuple(give(std::move(sets), {answers, static_cast<size_t>(limit)}),
                        give(std::move(scores), {answers}), give(std::move(candidates), {answers}));
}

}  // namespace

void bind_bridge(nb::module_ &m) { define(m, "best_parents", best_parents); }
