// Rows of index-value pairs to a CSR matrix: sparse ARFF and svmlight.
#include "parsing.hpp"

using namespace text;

namespace {

// Rows of (index, value) pairs: what sparse ARFF and svmlight have in common.
struct SparseReader {
  const char *const base, *const end;
  const char *p;
  std::vector<int64_t> indptr{0}, starts{};
  std::vector<int32_t> indices{};
  std::vector<double> values{};
  Distinct distinct{}, odd{};
  Trouble trouble{};

  void expect(size_t bytes) {  // a pair takes about a dozen bytes
    indices.reserve(bytes / 12);
    values.reserve(bytes / 12);
  }
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
    for (; p < end && is_digit(*p); ++p) k = std::min<int64_t>(k * 10 + (*p - '0'), INT32_MAX);
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

bool ends_value(char c) { return c == ',' || c == '}' || c == ' ' || c == '\t' || c == '\r'; }

// A value of a sparse ARFF row: a number, or text up to the next blank, comma or brace.
bool sparse_value(SparseReader &r, bool numeric) {
  const char *begin = r.p, *stop = r.p;
  double value;
  if (numeric && (stop = number(r.p, r.end, value)) && stop < r.end && ends_value(*stop)) {
    r.values.push_back(value);
    r.p = stop;
    return true;
  }
  if (r.p < r.end && (*r.p == '\'' || *r.p == '"')) {
    const char mark = *r.p++;
    for (; !r.at_line_end() && *r.p != mark; ++r.p)
      if (*r.p == '\\' && r.p + 1 < r.end && r.p[1] != '\n') ++r.p;
    if (r.at_line_end()) return false;
    stop = ++r.p;
    if (numeric) ++begin, --stop;  // a quoted number is a number
  } else {
    while (!r.at_line_end() && !ends_value(*r.p)) ++r.p;
    if ((stop = r.p) == begin) return false;
  }
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
    r.expect(text.size() - start);
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
    r.expect(text.size() - start);
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

void bind_sparse_rows(nb::module_ &m) {
  define(m, "parse_sparse", parse_sparse);
  define(m, "parse_svmlight", parse_svmlight);
}
