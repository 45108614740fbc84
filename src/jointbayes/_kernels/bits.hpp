// Pair counts by bit sets. Rows are ordered by class, each class padded to a word; every value of a
// feature but one has a row of bits. n(a, b) is the number of bits in (row a AND row b); the counts
// of the value without a row follow by subtraction. Features stand in bands of a few dozen rows;
// two bands are counted against each other in register tiles over pieces that stay in cache.
#pragma once
#include "coded_columns.hpp"
#ifdef JB_X86
#include <immintrin.h>
#endif

constexpr int LANES = 16;   // rows whose words stand side by side
constexpr int TILE = 8;     // rows of one band against LANES of another
constexpr int PIECE = 128;  // words of one row counted at a time: LANES of them fit in L1

// sum[r * stride + l] += bits of (row r of a) AND (row l of b), over `words` words.
using TileKernel = void (*)(const uint64_t *a, const uint64_t *b, int64_t words, int64_t stride,
                            uint64_t *sum);

inline __attribute__((always_inline)) void tile_by_word(const uint64_t *a, const uint64_t *b,
                                                        int64_t words, int64_t stride,
                                                        uint64_t *sum) {
  for (int r = 0; r < TILE; r += 2)
    for (int l = 0; l < LANES; l += 4) {
      uint64_t s[2][4] = {};
      for (int64_t w = 0; w < words; ++w)
        for (int i = 0; i < 2; ++i)
          for (int j = 0; j < 4; ++j)
            s[i][j] += __builtin_popcountll(a[w * LANES + r + i] & b[w * LANES + l + j]);
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j) sum[(r + i) * stride + l + j] += s[i][j];
    }
}

inline void tile_portable(const uint64_t *a, const uint64_t *b, int64_t words, int64_t stride,
                          uint64_t *sum) {
  tile_by_word(a, b, words, stride, sum);
}

// bits[at[v]] of word w: which of the 64 codes from codes[64 w] on are v, for every v but `dropped`.
using PackKernel = void (*)(const uint8_t *codes, int64_t words, int64_t slots, int64_t dropped,
                            const int64_t *at, uint64_t *bits);

inline void pack_portable(const uint8_t *codes, int64_t words, int64_t slots, int64_t dropped,
                          const int64_t *at, uint64_t *bits) {
  uint64_t set[256] = {};
  for (int64_t w = 0; w < words; ++w, bits += LANES) {
    for (int s = 0; s < 64; ++s) set[codes[64 * w + s]] |= uint64_t{1} << s;
    for (int64_t v = 0; v < slots; ++v) {
      if (v != dropped) bits[at[v]] = set[v];
      set[v] = 0;
    }
  }
}

#ifdef JB_X86
JB_POPCNT inline void tile_popcnt(const uint64_t *a, const uint64_t *b, int64_t words,
                                  int64_t stride, uint64_t *sum) {
  tile_by_word(a, b, words, stride, sum);
}

JB_AVX512 inline void tile_avx512(const uint64_t *a, const uint64_t *b, int64_t words,
                                  int64_t stride, uint64_t *sum) {
  __m512i s[TILE][2];
  for (auto &row : s) row[0] = row[1] = _mm512_setzero_si512();
  for (int64_t w = 0; w < words; ++w, a += LANES, b += LANES) {
    const __m512i b0 = _mm512_loadu_si512(b), b1 = _mm512_loadu_si512(b + 8);
    for (int r = 0; r < TILE; ++r) {
      const __m512i x = _mm512_set1_epi64(static_cast<int64_t>(a[r]));
      s[r][0] = _mm512_add_epi64(s[r][0], _mm512_popcnt_epi64(_mm512_and_si512(x, b0)));
      s[r][1] = _mm512_add_epi64(s[r][1], _mm512_popcnt_epi64(_mm512_and_si512(x, b1)));
    }
  }
  for (int r = 0; r < TILE; ++r, sum += stride)
    for (int h = 0; h < 2; ++h)
      _mm512_storeu_si512(sum + 8 * h, _mm512_add_epi64(s[r][h], _mm512_loadu_si512(sum + 8 * h)));
}

JB_AVX512 inline void pack_avx512(const uint8_t *codes, int64_t words, int64_t slots,
                                  int64_t dropped, const int64_t *at, uint64_t *bits) {
  for (int64_t w = 0; w < words; ++w, bits += LANES) {
    const __m512i x = _mm512_loadu_si512(codes + 64 * w);
    for (int64_t v = 0; v < slots; ++v)
      if (v != dropped)
        bits[at[v]] = _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8(static_cast<char>(v)));
  }
}
#endif

inline TileKernel tile_kernel() {
#ifdef JB_X86
  if (instructions() == Instructions::avx512) return tile_avx512;
  if (instructions() == Instructions::popcnt) return tile_popcnt;
#endif
  return tile_portable;
}

inline PackKernel pack_kernel() {
#ifdef JB_X86
  if (instructions() == Instructions::avx512) return pack_avx512;
#endif
  return pack_portable;
}

class BitRows {
 public:
  struct Member { int64_t feature, row, slots, dropped; };  // its rows in the band: row, row + 1, …
  struct Band {
    std::vector<Member> members;
    int64_t rows = 0;
    std::unique_ptr<uint64_t[]> bits;
    std::vector<uint64_t> totals;  // (C, padded rows) bits of each row by class
    int64_t padded() const { return (rows + LANES - 1) / LANES * LANES; }
  };
  std::vector<Band> bands;

  // `features` are the ones to pack; of a dense column none may have more than 255 slots.
  BitRows(const Task &task, const std::vector<int64_t> &features) : task_(task) {
    order_rows();
    // Bands of up to 64 rows share most loads; with few rows, smaller ones share out the work.
    int64_t all = 0;
    for (int64_t i : features) all += task.slots[i];
    const int64_t most = all > 256 ? 64 : 32;
    for (int64_t i : features) {
      const int64_t slots = task.slots[i];
      // Dropped: not observed, which needs no counts, or a sparse column's default, or the last.
      const int64_t dropped = task.x.sparse() ? task.x.default_code(i) : slots - 1;
      const int64_t rows = std::max<int64_t>(slots - 1, 0) + (dropped >= slots);
      if (bands.empty() || bands.back().rows + rows > most) bands.emplace_back();
      bands.back().members.push_back({i, bands.back().rows, slots, dropped});
      bands.back().rows += rows;
    }
    parallel_for(bands.size(), task.threads, [&](int64_t b) { pack(bands[b]); });
  }

  // out (padded rows of I, padded rows of J) = rows of class c by pairs of values.
  void count(const Band &I, const Band &J, int64_t c, uint64_t *out) const {
    static const TileKernel tile = tile_kernel();
    const int64_t height = I.padded(), width = J.padded();
    std::fill(out, out + height * width, 0);
    for (size_t k = first_piece_[c]; k < first_piece_[c + 1]; ++k) {
      const int64_t words = pieces_[k + 1] - pieces_[k];
      const uint64_t *a = I.bits.get() + pieces_[k] * height, *b = J.bits.get() + pieces_[k] * width;
      for (int64_t j = 0; j < width; j += LANES)
        for (int64_t i = 0; i < I.rows && (&I != &J || i < j + LANES); i += TILE)
          tile(a + i / LANES * LANES * words + i % LANES, b + j * words, words, width,
               out + i * width + j);
    }
  }

 private:
  const Task &task_;
  std::vector<uint32_t> place_;                // of each row among the bits
  std::vector<int64_t> pieces_{0};             // first word of each piece, and the end
  std::vector<size_t> first_piece_{0};         // of each class, and the end

  void order_rows() {
    std::vector<int64_t> next(task_.C);
    for (int64_t c = 0; c < task_.C; ++c) {
      next[c] = pieces_.back() * 64;
      for (int64_t left = (task_.n_c[c] + 63) / 64; left > 0; left -= PIECE)
        pieces_.push_back(pieces_.back() + std::min<int64_t>(left, PIECE));
      first_piece_.push_back(pieces_.size() - 1);
    }
    place_.resize(task_.x.n);
    task_.y.visit([&](const auto *y) {
      for (int64_t r = 0; r < task_.x.n; ++r) place_[r] = static_cast<uint32_t>(next[y[r]]++);
    });
  }

  static int64_t row_of(const Member &m, int64_t code) { return m.row + code - (code > m.dropped); }

  void pack(Band &band) {
    const int64_t size = pieces_.back() * band.padded();
    band.bits.reset(new uint64_t[size]);
    if (task_.x.sparse() || band.rows < band.padded())
      std::fill(band.bits.get(), band.bits.get() + size, 0);
    task_.x.visit([&](const auto *x) {
      if (task_.x.sparse()) {
        for (const auto &m : band.members) pack_sparse(band, m, x);
      } else {
        std::vector<uint8_t> sorted(pieces_.back() * 64, 255);
        for (const auto &m : band.members) pack_dense(band, m, x + m.feature * task_.x.n, sorted);
      }
    });
    add_totals(band);
  }

  template <class T>
  void pack_dense(Band &band, const Member &m, const T *x, std::vector<uint8_t> &sorted) {
    static const PackKernel pack_words = pack_kernel();
    for (int64_t r = 0; r < task_.x.n; ++r) sorted[place_[r]] = static_cast<uint8_t>(x[r]);
    std::vector<int64_t> at(m.slots);
    for (size_t k = 0; k + 1 < pieces_.size(); ++k) {
      const int64_t words = pieces_[k + 1] - pieces_[k];
      for (int64_t v = 0; v < m.slots; ++v) {
        const int64_t row = row_of(m, v);
        at[v] = row / LANES * LANES * words + row % LANES;
      }
      pack_words(sorted.data() + pieces_[k] * 64, words, m.slots, m.dropped, at.data(),
                 band.bits.get() + pieces_[k] * band.padded());
    }
  }

  template <class T> void pack_sparse(Band &band, const Member &m, const T *codes) {
    for (int64_t e = task_.x.begin(m.feature); e < task_.x.end(m.feature); ++e) {
      if (codes[e] == m.dropped) continue;
      const int64_t place = place_[task_.x.rows()[e]], word = place / 64;
      const size_t k = std::upper_bound(pieces_.begin(), pieces_.end(), word) - pieces_.begin() - 1;
      const int64_t words = pieces_[k + 1] - pieces_[k], row = row_of(m, codes[e]);
      band.bits[pieces_[k] * band.padded() + row / LANES * LANES * words +
                (word - pieces_[k]) * LANES + row % LANES] |= uint64_t{1} << (place % 64);
    }
  }

  // The diagonal of a band against itself, one tile for each of its rows.
  void add_totals(Band &band) {
    static const TileKernel tile = tile_kernel();
    const int64_t height = band.padded();
    band.totals.assign(task_.C * height, 0);
    for (int64_t c = 0; c < task_.C; ++c)
      for (size_t k = first_piece_[c]; k < first_piece_[c + 1]; ++k)
        for (int64_t i = 0; i < height; i += TILE) {
          const int64_t words = pieces_[k + 1] - pieces_[k];
          const uint64_t *a = band.bits.get() + pieces_[k] * height + i / LANES * LANES * words;
          uint64_t sum[TILE * LANES] = {};
          tile(a + i % LANES, a, words, LANES, sum);
          for (int r = 0; r < TILE; ++r)
            band.totals[c * height + i + r] += sum[r * LANES + i % LANES + r];
        }
  }
};

// The counts of one pair in one class, completed by subtraction: (slots of a, slots of b) cells.
class PairTable {
 public:
  std::vector<uint64_t> cells;

  void fill(const BitRows::Band &A, const BitRows::Member &a, const BitRows::Band &B,
            const BitRows::Member &b, int64_t c, const Task &task, const uint64_t *counts) {
    const int64_t S = a.slots, T = b.slots;
    cells.assign(S * T, 0);
    const uint64_t *n_a = A.totals.data() + c * A.padded() + a.row;
    const uint64_t *n_b = B.totals.data() + c * B.padded() + b.row;
    uint64_t rest_b = task.n_c[c];
    for (int64_t w = 0, row = 0; w < T; ++w)
      if (w != b.dropped) rest_b -= n_b[row++];
    for (int64_t v = 0, row = 0; v < S; ++v) {
      if (v == a.dropped) continue;
      uint64_t rest = n_a[row];
      for (int64_t w = 0, column = 0; w < T; ++w)
        if (w != b.dropped)
          rest -= cells[v * T + w] = counts[(a.row + row) * B.padded() + b.row + column++];
      if (b.dropped < T) cells[v * T + b.dropped] = rest;
      ++row;
    }
    if (a.dropped >= S) return;
    for (int64_t w = 0, column = 0; w < T; ++w) {
      uint64_t rest = w == b.dropped ? rest_b : n_b[column++];
      for (int64_t v = 0; v < S; ++v)
        if (v != a.dropped) rest -= cells[v * T + w];
      cells[a.dropped * T + w] = rest;
    }
  }
};
