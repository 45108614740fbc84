// Text to numbers, what both kernel files share: numbers, distinct text, and trouble.
//
// A field is a number, or it is a piece of text whose distinct values are numbered as they come.
// The kernels know no missing values, no declared categories and no types: they say where in the
// text each distinct value stood first, and the caller, who knows, decides.
#pragma once
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

namespace text {

enum Kind : uint8_t { NUMBER, TEXT, SKIP };
enum Fault : int64_t { NONE, FIELDS, UNCLOSED, TRAILING, SPARSE, INDEX };

constexpr size_t MAX_ODD = 16;  // distinct fields of a number column that are no number

struct Trouble {
  int64_t fault = NONE, offset = 0, found = 0;
};

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// Numbers of more digits than a double holds, huge exponents, inf and nan.
inline const char *rare_number(const char *p, const char *end, double &out) {
#if defined(__cpp_lib_to_chars) && __cpp_lib_to_chars >= 201611L
  const auto [stop, error] = std::from_chars(p, end, out);
  if (error == std::errc()) return stop;
  if (error != std::errc::result_out_of_range) return nullptr;
#else
  const char *stop = p;
  while (stop < end && *stop != 'x' && *stop != 'X' &&  // no hexadecimals
         (std::isalnum(static_cast<unsigned char>(*stop)) || std::strchr(".+-", *stop)))
    ++stop;
#endif
  const std::string copy(p, stop);
  char *rest;
  out = std::strtod(copy.c_str(), &rest);
  return rest == copy.c_str() ? nullptr : p + (rest - copy.c_str());
}

// The number at p, or nullptr. A mantissa below 2^53 times or over a power of ten up to 10^22 is
// one correctly rounded operation; everything else is left to the library.
inline const char *number(const char *p, const char *end, double &out) {
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
  for (; p < end && is_digit(*p); ++p) mantissa = mantissa * 10 + static_cast<uint64_t>(*p - '0');
  int64_t digits = p - whole, scale = 0;
  if (p < end && *p == '.') {
    const char *const fraction = ++p;
    for (; p < end && is_digit(*p); ++p) mantissa = mantissa * 10 + static_cast<uint64_t>(*p - '0');
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

using Spans = std::vector<std::pair<int64_t, int64_t>>;

// Distinct pieces of text, numbered in the order of their first appearance.
class Distinct {
 public:
  // Where the value of the row before ends, if it stands at p; else nullptr.
  const char *again(const char *p, const char *end) const {
    const bool fits = last_code_ >= 0 && end - p > static_cast<int64_t>(last_.size());
    return fits && std::memcmp(p, last_.data(), last_.size()) == 0 ? p + last_.size() : nullptr;
  }
  int32_t last_code() const { return last_code_; }
  int32_t code(const char *base, const char *begin, const char *end) {
    const std::string_view value(begin, end - begin);
    if (last_code_ >= 0 && value == last_) return last_code_;
    const auto [at, fresh] = codes_.try_emplace(value, static_cast<int32_t>(spans.size()));
    if (fresh) spans.push_back({begin - base, end - base});
    last_ = value;
    return last_code_ = at->second;
  }
  Spans spans;  // where each stood first

 private:
  std::unordered_map<std::string_view, int32_t> codes_;
  std::string_view last_;
  int32_t last_code_ = -1;
};

inline nb::object give_spans(const Spans &spans) {
  std::vector<int64_t> flat;
  flat.reserve(2 * spans.size());
  for (const auto &[begin, end] : spans) flat.insert(flat.end(), {begin, end});
  return nb::cast(give(std::move(flat), {spans.size(), 2}));
}

template <class T> nb::object give_all(std::vector<T> &&values) {
  const size_t n = values.size();
  return nb::cast(give(std::move(values), {n}));
}

inline nb::object give_trouble(const Trouble &t) {
  return nb::make_tuple(t.fault, t.offset, t.found);
}

}  // namespace text
