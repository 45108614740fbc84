// Delimited rows to columns of numbers and codes, in one pass over the bytes.
#include "parsing.hpp"

using namespace text;

namespace {

// The rules of one dialect of delimited text.
struct Dialect {
  enum Role : uint8_t { BETWEEN = 1, LINE = 2, BLANK = 4, QUOTE = 8 };
  char delimiter, comment, escape;
  bool open_lines;  // a quoted field may run over lines
  uint8_t roles[256] = {};

  // The delimiter, what comments begin with, what escapes, whether ' quotes, and open_lines.
  explicit Dialect(const char *key)
      : delimiter(key[0]), comment(key[1]), escape(key[2]), open_lines(key[4] != 0) {
    for (const char c : {' ', '\t', '\r'}) role(c) = BLANK;
    role(delimiter) = BETWEEN;
    if (delimiter == ' ') role('\t') = BETWEEN;  // any run of blanks and tabs
    role('\n') |= LINE;
    role('"') |= QUOTE;
    if (key[3]) role('\'') |= QUOTE;
  }
  uint8_t &role(char c) { return roles[static_cast<uint8_t>(c)]; }
  bool is(char c, int wanted) const { return roles[static_cast<uint8_t>(c)] & wanted; }
  bool between(char c) const { return is(c, BETWEEN); }
  bool blank(char c) const { return is(c, BLANK); }
  bool quote(char c) const { return is(c, QUOTE); }
  bool ends_field(char c) const { return is(c, BETWEEN | LINE); }
};

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
  const Dialect &dialect;
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
  bool at_field_end() const { return p == end || dialect.ends_field(*p); }
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
    if (p + 1 < end && is_digit(*p) && dialect.ends_field(p[1])) {  // tables of 0 and 1 abound
      out = *p++ - '0';
      return true;
    }
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
    if (kind != TEXT) return field(begin, stop);
    Distinct &seen = distinct[column];
    int32_t &out = codes.at(rows, place[column]);
    const char *const same = seen.again(p, end);
    if (same && dialect.ends_field(*same)) {
      p = same;
      out = seen.last_code();
      return true;
    }
    if (!field(begin, stop)) return false;
    out = seen.code(base, begin, stop);
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
  const Dialect rules(dialect.c_str());
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
    DenseReader reader{rules, base, base + stop, kinds.data(), n_columns, place,
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

}  // namespace

void bind_parsing(nb::module_ &m) { define(m, "parse_dense", parse_dense); }
