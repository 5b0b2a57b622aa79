// NumPy arrays in and out of the core.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <array>
#include <stdexcept>
#include <vector>

#include "binning.hpp"
#include "parallel.hpp"
#include "ranges.hpp"

namespace nb = nanobind;
using namespace nb::literals;

// Fills in the functions of one part of the core.
void bind_flow(nb::module_& module);
void bind_forest(nb::module_& module);
void bind_ranges(nb::module_& module);

// Appends the ranges of a tree to flat arrays.
void append_ranges(const wgb::NodeRanges& ranges, std::vector<uint8_t>& codes,
                   std::vector<uint8_t>& missing, std::vector<uint32_t>& seen);

// Gives the GIL to other threads while the core works, and looks for Ctrl-C between its pieces.
class Released {
 public:
  Released() { wgb::caller = {check_signals, wgb::Caller::Clock::now()}; }
  ~Released() { wgb::caller = {}; }
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;

 private:
  static void check_signals() {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
  nb::gil_scoped_release release_;
};

template <class T, int D>
using In = nb::ndarray<const T, nb::ndim<D>, nb::c_contig, nb::device::cpu>;
template <class T, int D>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<D>>;
template <class T>
using Raw = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;
template <class T>
using Maybe = std::optional<T>;
using State = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

inline void require(bool condition, const char* what) {
  if (!condition) throw std::invalid_argument(what);
}

template <class Array>
auto pointer(const Maybe<Array>& array) -> decltype(array->data()) {
  return array ? array->data() : nullptr;
}

template <class T>
wgb::Matrix<T> matrix(const Raw<T>& x) {
  return {x.data(), x.shape(0), x.shape(1), x.stride(0), x.stride(1)};
}

// A NumPy array that owns the vector's memory.
template <class T, int D>
Out<T, D> owned(std::vector<T>&& values, const std::array<size_t, D>& shape) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Out<T, D>(kept->data(), D, shape.data(), owner);
}

template <class T>
Out<T, 1> owned(std::vector<T>&& values) {
  const size_t n = values.size();
  return owned<T, 1>(std::move(values), {n});
}

template <class T, int D>
Out<T, D> fresh(const std::array<size_t, D>& shape) {
  size_t n = 1;
  for (const size_t s : shape) n *= s;
  auto* data = new T[n];
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return Out<T, D>(data, D, shape.data(), owner);
}

