// Contingency tables of many small families of columns, each with as many axes as it has members.
#include <nanobind/stl/vector.h>

#include "coded_columns.hpp"

namespace {

struct Column {
  const void *codes;
  size_t bytes;
  int64_t card, slots;

  template <class F> void visit(F f) const {
    if (bytes == 1) f(static_cast<const uint8_t *>(codes));
    else if (bytes == 2) f(static_cast<const uint16_t *>(codes));
    else f(static_cast<const uint32_t *>(codes));
  }
};

// Rows by cell, in blocks that stay in cache. One cell more on the axis of a member that was not
// always observed; `crop` drops them again.
template <class Index>
std::vector<double> tabulate(const std::vector<const Column *> &members, size_t cells, int64_t n,
                             const double *weight) {
  constexpr int64_t BLOCK = 4096;
  std::vector<double> table(weight ? cells : 0, 0.0);
  std::vector<uint32_t> whole(weight ? 0 : cells, 0);
  std::vector<Index> cell(BLOCK);
  for (int64_t from = 0; from < n; from += BLOCK) {
    const int64_t size = std::min(BLOCK, n - from);
    std::fill(cell.begin(), cell.end(), 0);
    for (const Column *x : members)
      x->visit([&](const auto *codes) {
        const auto slots = static_cast<Index>(x->slots);
        for (int64_t r = 0; r < size; ++r) cell[r] = cell[r] * slots + codes[from + r];
      });
    if (weight)
      for (int64_t r = 0; r < size; ++r) table[cell[r]] += weight[from + r];
    else
      for (int64_t r = 0; r < size; ++r) ++whole[cell[r]];
  }
  return weight ? table : std::vector<double>(whole.begin(), whole.end());
}

std::vector<double> count_family(const std::vector<const Column *> &members, int64_t n,
                                 const double *weight) {
  size_t cells = 1;
  for (const Column *x : members) cells *= static_cast<size_t>(x->slots);
  return cells < (size_t{1} << 32) ? tabulate<uint32_t>(members, cells, n, weight)
                                   : tabulate<uint64_t>(members, cells, n, weight);
}

std::vector<double> crop(const std::vector<const Column *> &members, std::vector<double> table) {
  int64_t inner = 1;  // cells below the axis
  for (size_t m = members.size(); m-- > 0; inner *= members[m]->card) {
    const int64_t slots = members[m]->slots, card = members[m]->card;
    if (slots == card) continue;
    const int64_t outer = static_cast<int64_t>(table.size()) / (slots * inner);
    for (int64_t o = 1; o < outer; ++o)
      std::copy_n(table.data() + o * slots * inner, card * inner, table.data() + o * card * inner);
    table.resize(outer * card * inner);
  }
  return table;
}

nb::list count_families(nb::list columns, Vector<int64_t> cards,
                        const std::vector<std::vector<int64_t>> &families, Weights weights,
                        int threads) {
  std::vector<nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>> held;
  std::vector<Column> all;
  for (nb::handle column : columns) {
    held.push_back(taken<decltype(held)::value_type>(column, "a column"));
    const auto &x = held.back();
    if (!is_code(x.dtype())) throw nb::type_error("codes have to be uint8, uint16 or uint32");
    if (x.shape(0) != held[0].shape(0) || (weights && weights->shape(0) != x.shape(0)))
      throw std::invalid_argument("columns and weights differ in length");
    const int64_t card = cards(all.size());
    all.push_back({x.data(), x.itemsize(), card, card});
  }
  const int64_t n = held.empty() ? 0 : static_cast<int64_t>(held[0].shape(0));
  std::vector<std::vector<double>> tables(families.size());
  {
    nb::gil_scoped_release release;
    parallel_for(all.size(), threads, [&](int64_t i) {
      all[i].visit([&](const auto *codes) {
        uint32_t top = 0;
        for (int64_t r = 0; r < n; ++r) top = std::max<uint32_t>(top, codes[r]);
        if (n && top > all[i].card) throw std::invalid_argument("a code is beyond its values");
        all[i].slots += n && top == all[i].card;
      });
    });
    parallel_for(families.size(), threads, [&](int64_t k) {
      std::vector<const Column *> members;
      for (int64_t i : families[k]) members.push_back(&all.at(i));
      tables[k] = crop(members, count_family(members, n, weights ? weights->data() : nullptr));
    });
  }
  nb::list out;
  for (auto &table : tables) {
    const size_t size = table.size();
    out.append(give(std::move(table), {size}));
  }
  return out;
}

}  // namespace

void bind_families(nb::module_ &m) { define(m, "count_families", count_families); }
