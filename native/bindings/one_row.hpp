// One row out of Python, as fast as it goes: the buffer protocol, checked by hand. Importing an
// ndarray takes as long as a dozen trees, and more where the array is read-only.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>

namespace mddag {

namespace nb = nanobind;

class OneRow {
 public:
  // x must be float32 or float64 (n_features,) or (1, n_features), and stay alive.
  OneRow(nb::handle x, std::size_t n_features) {
    if (PyObject_GetBuffer(x.ptr(), &view_, PyBUF_FORMAT | PyBUF_ND) != 0) copy(x, n_features);
    const bool numbers = (is_float() || is_double()) && is_aligned();
    if (view_.ndim == 1 && numbers && static_cast<std::size_t>(view_.shape[0]) == n_features)
      return;
    const bool one_of_a_matrix = view_.ndim == 2 && view_.shape[0] == 1;
    if (one_of_a_matrix && numbers && static_cast<std::size_t>(view_.shape[1]) == n_features)
      return;
    PyBuffer_Release(&view_);
    refuse(x, n_features);
  }
  ~OneRow() { PyBuffer_Release(&view_); }
  OneRow(const OneRow&) = delete;

  // body(const float*) or body(const double*).
  template <class Body>
  auto read(const Body& body) const {
    return is_float() ? body(static_cast<const float*>(view_.buf))
                      : body(static_cast<const double*>(view_.buf));
  }

 private:
  bool is_float() const { return view_.format[0] == 'f' && view_.format[1] == '\0'; }
  bool is_double() const { return view_.format[0] == 'd' && view_.format[1] == '\0'; }
  // A memoryview may begin anywhere; numpy marks that in the format.
  bool is_aligned() const {
    const auto last = static_cast<std::uintptr_t>(view_.itemsize - 1);
    return (reinterpret_cast<std::uintptr_t>(view_.buf) & last) == 0;
  }

  // A row that is not contiguous, such as one of a Fortran-ordered matrix: the view keeps a copy.
  void copy(nb::handle x, std::size_t n_features) {
    PyErr_Clear();
    PyObject* copied = PyMemoryView_GetContiguous(x.ptr(), PyBUF_READ, 'C');
    const bool got =
        copied != nullptr && PyObject_GetBuffer(copied, &view_, PyBUF_FORMAT | PyBUF_ND) == 0;
    Py_XDECREF(copied);
    if (got) return;
    PyErr_Clear();
    refuse(x, n_features);
  }

  [[noreturn]] static void refuse(nb::handle x, std::size_t n_features) {
    const std::string n = std::to_string(n_features);
    const std::string wanted = "; wanted one row, a float32 or float64 array of shape (" + n + ",)";
    const std::string type = std::string("x is a ") + nb::type_name(x.type()).c_str();
    if (!nb::hasattr(x, "dtype") || !nb::hasattr(x, "shape"))
      throw nb::type_error((type + wanted).c_str());
    const auto said = [&](const char* name) {
      const nb::object value = x.attr(name);
      return std::string(nb::str(value).c_str());
    };
    const std::string got = " of " + said("dtype") + " " + said("shape");
    throw nb::value_error((type + got + wanted).c_str());
  }

  Py_buffer view_;
};

// Where the numbers of one row go: a float64 array of the right size, as the caller has checked.
class OneResult {
 public:
  explicit OneResult(nb::handle out) {
    if (PyObject_GetBuffer(out.ptr(), &view_, PyBUF_WRITABLE) != 0) throw nb::python_error();
  }
  ~OneResult() { PyBuffer_Release(&view_); }
  OneResult(const OneResult&) = delete;

  double* data() const { return static_cast<double*>(view_.buf); }

 private:
  Py_buffer view_;
};

}  // namespace mddag
