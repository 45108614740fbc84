// Text to numbers: delimited rows, sparse ARFF rows and svmlight rows, in one pass over the bytes.
//
// A field is a number, or it is a piece of text whose distinct values are numbered as they come.
// The kernels know no missing values, no declared categories and no types: they say where in the
// text each distinct value stood first, and the caller, who knows, decides. parsing.py defines them.
#include "parallel.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace {

enum Kind : uint8_t { NUMBER, TEXT, SKIP };
enum Fault : int64_t { NONE, FIELDS, UNCLOSED, TRAILING, SPARSE, INDEX };

constexpr size_t MAX_ODD = 16;  // distinct fields of a number column that are no number

struct Trouble {
  int64_t fault = NONE, offset = 0, found = 0;
};

// The rules of one dialect of delimited text.
struct Dialect {
  char delimiter, comment, escape;
  bool single_quotes, open_lines;  // open_lines: a quoted field may run over lines

  // A blank as delimiter stands for any run of blanks and tabs.
  bool between(char c) const { return c == delimiter || (delimiter == ' ' && c == '\t'); }
  bool blank(char c) const { return (c == ' ' || c == '\t' || c == '\r') && !between(c); }
  bool quote(char c) const { return c == '"' || (single_quotes && c == '\''); }
};

inline bool digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// Numbers of more digits than a double holds, huge exponents, inf and nan.
const char *rare_number(const char *p, const char *end, double &out) {
#if defined(__cpp_lib_to_chars) && __cpp_lib_to_chars >= 201611L
  const auto [stop, error] = std::from_chars(p, end, out);
  if (error == std::errc()) return stop;
  if (error != std::errc::result_out_of_range) return nullptr;
#else
  const char *stop = p;
  while (stop < end &&
         (digit(*stop) || std::isalpha(static_cast<unsigned char>(*stop)) ||
                        *stop == '.' || *stop == '+' || *stop == '-') &&
         *stop != 'x' && *stop != 'X')
    ++stop;
#endif
  const std::string copy(p, stop);
  char *rest;
  out = std::strtod(copy.c_str(), &rest);
  return rest == copy.c_str() ? nullptr : p + (rest - copy.c_str());
}

// The number at p, or nullptr. A mantissa below 2^53 times or over a power of ten up to 10^22 is
// one correctly rounded operation (Clinger 1990); everything else is left to the library.
const char *number(const char *p, const char *end, double &out) {
  static constexpr double POWER[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (p < end && *p == '+') {
    if (++p < end && (*p == '-' || *p == '+')) return nullptr;
  }
  const char *const start = p;
  const bool negative = p < end && *p == '-';
  p += negative;
  uint64_t mantissa = 0;
  const char *const whole = p;
  for (; p < end && digit(*p); ++p) mantissa = mantissa * 10 + static_cast<uint64_t>(*p - '0');
  int64_t digits = p - whole, scale = 0;
  if (p < end && *p == '.') {
    const char *const fraction = ++p;
    for (; p < end && digit(*p); ++p) mantissa = mantissa * 10 + static_cast<uint64_t>(*p - '0');
    scale = p - fraction;
    digits += scale;
  }
  const bool exponent = p < end && (*p == 'e' || *p == 'E');
  if (digits == 0 || digits > 18 || exponent || mantissa >> 53 || scale > 22)
    return rare_number(start, end, out);
  out = static_cast<double>(mantissa) / POWER[scale];
  if (negative) out = -out;
  return p;
}

// Distinct pieces of text, numbered in the order of their first appearance.
class Distinct {
 public:
  int32_t code(const char *base, const char *begin, const char *end) {
    const std::string_view value(begin, end - begin);
    if (last_code_ >= 0 && value == last_) return last_code_;
    const auto [at, fresh] = codes_.try_emplace(value, static_cast<int32_t>(spans.size()));
    if (fresh) spans.push_back({begin - base, end - base});
    last_ = value;
    return last_code_ = at->second;
  }
  std::vector<std::pair<int64_t, int64_t>> spans;

 private:
  std::unordered_map<std::string_view, int32_t> codes_;
  std::string_view last_;
  int32_t last_code_ = -1;
};

using Spans = std::vector<std::pair<int64_t, int64_t>>;

nb::object give_spans(const Spans &spans) {
  std::vector<int64_t> flat;
  flat.reserve(2 * spans.size());
  for (const auto &[begin, end] : spans) flat.insert(flat.end(), {begin, end});
  return nb::cast(give(std::move(flat), {spans.size(), 2}));
}

template <class T> nb::object give_all(std::vector<T> &&values) {
  const size_t n = values.size();
  return nb::cast(give(std::move(values), {n}));
}

nb::object give_trouble(const Trouble &t) { return nb::make_tuple(t.fault, t.offset, t.found); }

// A column-major table with room for `capacity` rows, of which the first `rows` are handed out.
template <class T> struct Block {
  int64_t capacity, columns;
  std::unique_ptr<T[]> values{new T[std::max<int64_t>(capacity * columns, 1)]};

  T &at(int64_t row, int64_t column) { return values[column * capacity + row]; }
  nb::object hand_out(int64_t rows) {
    T *data = values.release();
    nb::capsule owner(data, [](void *p) noexcept { delete[] static_cast<T *>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T>(
        data, {static_cast<size_t>(rows), static_cast<size_t>(columns)}, owner, {1, capacity}));
  }
};

// One pass over delimited rows.
struct DenseReader {
  const Dialect dialect;
  const char *const base, *const end;
  const uint8_t *const kinds;
  const int64_t n_columns;
  const std::vector<int64_t> &place;  // where a column stands among its kind
  Block<double> &numbers;
  Block<int32_t> &codes;
  std::vector<Distinct> &distinct;
  const char *p;
  int64_t rows = 0;
  Trouble trouble{};

  void skip_blanks() {
    while (p < end && dialect.blank(*p)) ++p;
  }
  bool at_field_end() const { return p == end || *p == '\n' || dialect.between(*p); }
  bool fail(Fault fault, const char *where, int64_t found) {
    trouble = {fault, where - base, found};
    return false;
  }

  // Step over the field at p; [begin, stop) is its text without blanks around it.
  bool field(const char *&begin, const char *&stop) {
    begin = p;
    if (p < end && dialect.quote(*p)) {
      const char mark = *p++;
      for (;; ++p) {
        if (p >= end || (*p == '\n' && !dialect.open_lines)) return fail(UNCLOSED, begin, 0);
        if (dialect.escape && *p == dialect.escape && p + 1 < end && p[1] != '\n') ++p;
        else if (*p == mark && p + 1 < end && p[1] == mark) ++p;
        else if (*p == mark) break;
      }
      stop = ++p;
      skip_blanks();
      return at_field_end() || fail(TRAILING, begin, 0);
    }
    while (!at_field_end()) ++p;
    for (stop = p; stop > begin && dialect.blank(stop[-1]);) --stop;
    return true;
  }

  bool try_number(double &out) {
    const char *const begin = p;
    const bool quoted = p < end && dialect.quote(*p);
    if (const char *stop = number(p + quoted, end, out)) {
      if (!quoted || (stop < end && *stop == *begin)) {
        p = stop + quoted;
        skip_blanks();
        if (at_field_end()) return true;
      }
    }
    p = begin;
    return false;
  }

  bool cell(int64_t column) {
    const char *begin, *stop;
    const uint8_t kind = kinds[column];
    if (kind == NUMBER) {
      double &out = numbers.at(rows, place[column]);
      if (try_number(out)) return true;
      out = std::nan("");
      if (!field(begin, stop)) return false;
      if (distinct[column].spans.size() < MAX_ODD) distinct[column].code(base, begin, stop);
      return true;
    }
    if (!field(begin, stop)) return false;
    if (kind == TEXT) codes.at(rows, place[column]) = distinct[column].code(base, begin, stop);
    return true;
  }

  bool row() {
    const char *const begin = p;
    for (int64_t column = 0;; ++column) {
      skip_blanks();
      if (column >= n_columns) {  // count the rest for the message
        const char *a, *b;
        if (!field(a, b)) return false;
      } else if (!cell(column)) {
        return false;
      }
      if (dialect.delimiter == ' ') {
        while (p < end && (dialect.between(*p) || dialect.blank(*p))) ++p;
        if (p < end && *p != '\n') continue;
      } else if (p < end && *p != '\n') {
        ++p;
        continue;
      }
      if (column + 1 != n_columns) return fail(FIELDS, begin, column + 1);
      ++rows;
      return true;
    }
  }

  void run() {
    for (; p < end; p = p < end ? p + 1 : end) {
      const char *q = p;  // a line of blanks alone is no row
      while (q < end && (dialect.blank(*q) || (dialect.delimiter == ' ' && dialect.between(*q)))) ++q;
      if (q == end || *q == '\n') {
        p = q;
      } else if (dialect.comment && *q == dialect.comment) {
        const void *newline = std::memchr(q, '\n', end - q);
        p = newline ? static_cast<const char *>(newline) : end;
      } else {
        p = q;
        if (!row()) return;
      }
    }
  }
};

nb::object parse_dense(nb::bytes text, int64_t start, int64_t stop, nb::bytes dialect,
                       Vector<uint8_t> kinds) {
  const char *const base = text.c_str();
  const char *const d = dialect.c_str();
  const int64_t n_columns = kinds.shape(0);
  std::vector<int64_t> place(n_columns);
  int64_t counts[3] = {0, 0, 0};
  for (int64_t j = 0; j < n_columns; ++j) place[j] = counts[kinds(j)]++;

  std::vector<Distinct> distinct(n_columns);
  std::unique_ptr<Block<double>> numbers;
  std::unique_ptr<Block<int32_t>> codes;
  int64_t rows = 0;
  Trouble trouble;
  {
    nb::gil_scoped_release release;
    // A row of k fields takes a line, and k bytes at least.
    int64_t capacity = 1 + std::count(base + start, base + stop, '\n');
    capacity = std::min(capacity, 1 + (stop - start) / std::max<int64_t>(n_columns, 1)) + 1;
    numbers.reset(new Block<double>{capacity, counts[NUMBER]});
    codes.reset(new Block<int32_t>{capacity, counts[TEXT]});
    DenseReader reader{{d[0], d[1], d[2], d[3] != 0, d[4] != 0},
                       base, base + stop, kinds.data(), n_columns, place,
                       *numbers, *codes, distinct, base + start};
    reader.run();
    rows = reader.rows;
    trouble = reader.trouble;
  }
  Spans spans;
  std::vector<int64_t> owner;
  for (int64_t j = 0; j < n_columns; ++j) {
    spans.insert(spans.end(), distinct[j].spans.begin(), distinct[j].spans.end());
    owner.insert(owner.end(), distinct[j].spans.size(), j);
  }
  return nb::make_tuple(numbers->hand_out(rows), codes->hand_out(rows), give_spans(spans),
                        give_all(std::move(owner)), give_trouble(trouble));
}

// Rows of (index, value) pairs: what sparse ARFF and svmlight have in common.
struct SparseReader {
  const char *const base, *const end;
  const char *p;
  std::vector<int64_t> indptr{0}, starts{};
  std::vector<int32_t> indices{};
  std::vector<double> values{};
  Distinct distinct{}, odd{};
  Trouble trouble{};

  void skip_blanks() {
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r')) ++p;
  }
  bool at_line_end() const { return p == end || *p == '\n'; }
  bool fail(Fault fault, const char *where, int64_t found = 0) {
    trouble = {fault, where - base, found};
    return false;
  }
  void next_line() {
    const void *newline = p < end ? std::memchr(p, '\n', end - p) : nullptr;
    p = newline ? static_cast<const char *>(newline) + 1 : end;
  }
  bool index(int64_t limit, int32_t &out) {
    const char *const begin = p;
    int64_t k = 0;
    for (; p < end && digit(*p); ++p) k = std::min<int64_t>(k * 10 + (*p - '0'), INT32_MAX);
    if (p == begin) return fail(SPARSE, begin);
    if (k >= limit) return fail(INDEX, begin, k);
    out = static_cast<int32_t>(k);
    return true;
  }
  void close_row(const char *begin) {
    starts.push_back(begin - base);
    indptr.push_back(static_cast<int64_t>(indices.size()));
  }
};

// A value of a sparse ARFF row: a number, or text up to the next blank, comma or brace.
bool sparse_value(SparseReader &r, bool numeric) {
  const char *begin = r.p, *stop = r.p;
  if (r.p < r.end && (*r.p == '\'' || *r.p == '"')) {
    const char mark = *r.p++;
    for (; !r.at_line_end() && *r.p != mark; ++r.p)
      if (*r.p == '\\' && r.p + 1 < r.end && r.p[1] != '\n') ++r.p;
    if (r.at_line_end()) return false;
    stop = r.p++;
    begin += numeric;  // a quoted number is a number
    if (!numeric) ++stop;
  } else {
    while (!r.at_line_end() && !std::strchr(" \t\r,}", *r.p)) ++r.p;
    if ((stop = r.p) == begin) return false;
  }
  double value;
  if (!numeric) {
    value = r.distinct.code(r.base, begin, stop);
  } else if (number(begin, stop, value) != stop) {
    value = std::nan("");
    if (r.odd.spans.size() < MAX_ODD) r.odd.code(r.base, begin, stop);
  }
  r.values.push_back(value);
  return true;
}

bool sparse_row(SparseReader &r, const uint8_t *kinds, int64_t n_columns) {
  const char *const begin = r.p;
  if (*r.p++ != '{') return r.fail(SPARSE, begin);
  for (r.skip_blanks(); r.p == r.end || *r.p != '}'; r.skip_blanks()) {
    const char *const entry = r.p;
    int32_t k;
    if (!r.index(n_columns, k)) return false;
    const char *const gap = r.p;
    r.skip_blanks();
    if (r.p == gap || !sparse_value(r, kinds[k] == NUMBER)) return r.fail(SPARSE, entry);
    r.indices.push_back(k);
    r.skip_blanks();
    if (r.at_line_end() || (*r.p != ',' && *r.p != '}')) return r.fail(SPARSE, entry);
    r.p += *r.p == ',';
  }
  ++r.p;
  r.skip_blanks();
  if (!r.at_line_end()) return r.fail(SPARSE, r.p);
  r.close_row(begin);
  return true;
}

nb::object parse_sparse(nb::bytes text, int64_t start, Vector<uint8_t> kinds) {
  SparseReader r{text.c_str(), text.c_str() + text.size(), text.c_str() + start};
  {
    nb::gil_scoped_release release;
    for (; r.p < r.end; r.next_line()) {
      r.skip_blanks();
      if (r.at_line_end() || *r.p == '%') continue;
      if (!sparse_row(r, kinds.data(), static_cast<int64_t>(kinds.shape(0)))) break;
    }
  }
  return nb::make_tuple(give_all(std::move(r.indptr)), give_all(std::move(r.indices)),
                        give_all(std::move(r.values)), give_all(std::move(r.starts)),
                        give_spans(r.distinct.spans), give_spans(r.odd.spans),
                        give_trouble(r.trouble));
}

bool svmlight_row(SparseReader &r, std::vector<int32_t> &labels) {
  const char *const begin = r.p;
  r.skip_blanks();
  const char *const label = r.p;
  bool pairs = false;  // no label: the first token is already an index:value pair
  while (!r.at_line_end() && !std::strchr(" \t\r#", *r.p)) pairs |= *r.p++ == ':';
  labels.push_back(r.distinct.code(r.base, label, pairs ? label : r.p));
  if (pairs) r.p = label;
  for (r.skip_blanks(); !r.at_line_end() && *r.p != '#'; r.skip_blanks()) {
    const char *const entry = r.p;
    if (r.end - r.p > 4 && !std::memcmp(r.p, "qid:", 4)) {
      while (!r.at_line_end() && !std::strchr(" \t\r", *r.p)) ++r.p;
      continue;
    }
    int32_t k;
    double value;
    if (!r.index(INT32_MAX, k)) return false;
    if (r.at_line_end() || *r.p++ != ':') return r.fail(SPARSE, entry);
    const char *const stop = number(r.p, r.end, value);
    if (!stop || (stop < r.end && !std::strchr(" \t\r\n#", *stop))) return r.fail(SPARSE, entry);
    r.p = stop;
    r.indices.push_back(k);
    r.values.push_back(value);
  }
  r.close_row(begin);
  return true;
}

nb::object parse_svmlight(nb::bytes text, int64_t start) {
  SparseReader r{text.c_str(), text.c_str() + text.size(), text.c_str() + start};
  std::vector<int32_t> labels;
  {
    nb::gil_scoped_release release;
    for (; r.p < r.end; r.next_line()) {
      const char *q = r.p;
      while (q < r.end && (*q == ' ' || *q == '\t' || *q == '\r')) ++q;
      if (q == r.end || *q == '\n' || *q == '#') continue;
      if (!svmlight_row(r, labels)) break;
    }
  }
  return nb::make_tuple(give_all(std::move(labels)), give_spans(r.distinct.spans),
                        give_all(std::move(r.indptr)), give_all(std::move(r.indices)),
                        give_all(std::move(r.values)), give_all(std::move(r.starts)),
                        give_trouble(r.trouble));
}

}  // namespace

void bind_parsing(nb::module_ &m) {
  m.def("parse_dense", &parse_dense);
  m.def("parse_sparse", &parse_sparse);
  m.def("parse_svmlight", &parse_svmlight);
}
