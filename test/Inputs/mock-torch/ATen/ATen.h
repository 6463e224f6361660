//===- ATen.h - Mock: tensors --------------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_ATEN_ATEN_H
#define CUDAGRAPH_MOCK_ATEN_ATEN_H

#include <c10/core.h>
#include <c10/util/Exception.h>
#include <ostream>
#include <tuple>

namespace at {
using namespace c10;

class TensorBase {
public:
  int64_t dim() const;
  int64_t size(int64_t dim) const;
  int64_t stride(int64_t dim) const;
  int64_t numel() const;
  size_t nbytes() const;
  IntArrayRef sizes() const;
  Device device() const;
  ScalarType scalar_type() const noexcept;
  TensorOptions options() const;
  bool defined() const;
  bool is_cuda() const;
  bool is_cpu() const;
  bool is_contiguous() const;
  void *data_ptr() const;
  void *mutable_data_ptr() const;
  const void *const_data_ptr() const;
  template <typename T> T *data_ptr() const;
  template <typename T> T *mutable_data_ptr() const;
  template <typename T> const T *const_data_ptr() const;
};

class Tensor;
namespace indexing {
struct TensorIndex {
  TensorIndex(Tensor t);
  TensorIndex(int64_t i);
};
} // namespace indexing

class Tensor : public TensorBase {
public:
  Tensor();
  Tensor(const Tensor &);
  ~Tensor();
  Tensor &operator=(const Tensor &);
  Tensor operator[](int64_t index) const;
  Tensor operator[](const Tensor &index) const;
  Tensor narrow(int64_t dim, int64_t start, int64_t length) const;
  Tensor narrow(int64_t dim, const Tensor &start, int64_t length) const;
  Tensor operator+(const Tensor &) const;
  Tensor &operator+=(const Tensor &);

  Scalar item() const;
  template <typename T> T item() const;
  bool is_nonzero() const;
  bool equal(const Tensor &other) const;
  bool allclose(const Tensor &other, double rtol = 1e-5, double atol = 1e-8,
                bool equal_nan = false) const;
  Tensor cpu() const;
  Tensor cuda() const;
  Tensor to(TensorOptions options = {}, bool non_blocking = false,
            bool copy = false) const;
  Tensor to(Device device, ScalarType dtype, bool non_blocking = false,
            bool copy = false) const;
  Tensor to(ScalarType dtype, bool non_blocking = false,
            bool copy = false) const;
  Tensor index(ArrayRef<indexing::TensorIndex> indices) const;
  Tensor index_select(int64_t dim, const Tensor &index) const;
  Tensor gt(const Scalar &other) const;
  Tensor &copy_(const Tensor &src, bool non_blocking = false) const;
  Tensor pin_memory(std::optional<Device> device = {}) const;
  Tensor contiguous() const;
  Tensor view(IntArrayRef size) const;
  Tensor clone() const;
  Tensor sum() const;
  Tensor max() const;
  Tensor add(const Tensor &other, const Scalar &alpha = 1) const;
  Tensor &add_(const Tensor &other, const Scalar &alpha = 1) const;
  Tensor mul(const Tensor &other) const;
  Tensor &fill_(const Scalar &value) const;
  Tensor &zero_() const;
  Tensor &resize_(IntArrayRef size) const;
  Tensor nonzero() const;
  Tensor masked_select(const Tensor &mask) const;
  Tensor repeat_interleave(const Tensor &repeats) const;
  Tensor &normal_(double mean = 0, double std = 1) const;
};

Tensor empty(IntArrayRef size, TensorOptions options = {});
Tensor empty_like(const Tensor &self, TensorOptions options = {});
Tensor zeros(IntArrayRef size, TensorOptions options = {});
Tensor ones(IntArrayRef size, TensorOptions options = {});
Tensor full(IntArrayRef size, const Scalar &value, TensorOptions options = {});
Tensor arange(const Scalar &end, TensorOptions options = {});
Tensor rand(IntArrayRef size, TensorOptions options = {});
Tensor randn(IntArrayRef size, TensorOptions options = {});
Tensor tensor(ArrayRef<int64_t> values, TensorOptions options = {});
Tensor from_blob(void *data, IntArrayRef sizes, TensorOptions options = {});
Tensor matmul(const Tensor &self, const Tensor &other);
Tensor relu(const Tensor &self);
Tensor add(const Tensor &self, const Tensor &other, const Scalar &alpha = 1);
Tensor nonzero(const Tensor &self);
Tensor where(const Tensor &condition, const Tensor &self, const Tensor &other);
std::vector<Tensor> where(const Tensor &condition);
Tensor one_hot(const Tensor &self, int64_t num_classes = -1);
Tensor masked_select(const Tensor &self, const Tensor &mask);
bool equal(const Tensor &self, const Tensor &other);
bool allclose(const Tensor &self, const Tensor &other, double rtol = 1e-5,
              double atol = 1e-8, bool equal_nan = false);
std::tuple<Tensor, Tensor, Tensor>
unique_consecutive(const Tensor &self, bool return_inverse = false,
                   bool return_counts = false);
std::ostream &operator<<(std::ostream &out, const Tensor &t);
} // namespace at

#endif // CUDAGRAPH_MOCK_ATEN_ATEN_H
