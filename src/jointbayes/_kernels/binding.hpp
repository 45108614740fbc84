// Arrays as kernels take them and hand them out. No argument is ever converted: a copy with fewer
// bits would hold other codes, and answers would be wrong without a word. What does not fit is
// refused with a TypeError; arguments.py says the same of the definitions.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace nb = nanobind;

template <class T> using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T> using Columns = nb::ndarray<const T, nb::ndim<2>, nb::f_contig, nb::device::cpu>;
template <class T> using Rows = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T> struct IsArray : std::false_type {};
template <class... Parts> struct IsArray<nb::ndarray<Parts...>> : std::true_type {};
template <class T> struct IsMaybe : std::false_type {};
template <class T> struct IsMaybe<std::optional<T>> : std::true_type {};

// Numbers may come as Python's or numpy's, which are converted by value; arrays only as they are.
template <class T> auto argument() {
  using Plain = std::remove_cvref_t<T>;
  if constexpr (IsMaybe<Plain>::value) return nb::arg().noconvert().none();
  else if constexpr (IsArray<Plain>::value) return nb::arg().noconvert();
  else return nb::arg();
}

// Every kernel is bound by this function, so that none forgets to refuse.
template <class Answer, class... Arguments>
void define(nb::module_ &m, const char *name, Answer (*kernel)(Arguments...)) {
  m.def(name, kernel, argument<Arguments>()...);
}

// The same for an array that is part of an argument.
template <class Array> Array taken(nb::handle value, const char *what) {
  try {
    return nb::cast<Array>(value, false);
  } catch (const nb::cast_error &) {
    throw nb::type_error((std::string(what) + " has another type or layout than this kernel takes")
                             .c_str());
  }
}

inline bool is_code(nb::dlpack::dtype type) {
  return type.code == static_cast<uint8_t>(nb::dlpack::dtype_code::UInt) &&
         (type.bits == 8 || type.bits == 16 || type.bits == 32);
}

// Hand a freshly filled buffer to numpy without copying it.
template <class T>
nb::ndarray<nb::numpy, T> give(std::vector<T> &&values, std::initializer_list<size_t> shape) {
  auto *owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void *p) noexcept { delete static_cast<std::vector<T> *>(p); });
  return nb::ndarray<nb::numpy, T>(owned->data(), shape, owner);
}
