//===- core.h - Mock: devices and streams --------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_C10_CORE_H
#define CUDAGRAPH_MOCK_C10_CORE_H

// The mock library declares the names that the cases use, with the signatures
// of libtorch 2.11. If libtorch is installed, test/real-headers checks them.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace c10 {
using DeviceIndex = int8_t;
using StreamId = int64_t;
using CaptureId_t = unsigned long long;
using MempoolId_t = std::pair<CaptureId_t, CaptureId_t>;

enum class DeviceType : int8_t { CPU = 0, CUDA = 1 };
inline constexpr DeviceType kCPU = DeviceType::CPU;
inline constexpr DeviceType kCUDA = DeviceType::CUDA;

struct Device {
  Device(DeviceType type, DeviceIndex index = -1);
  DeviceType type() const noexcept;
  DeviceIndex index() const noexcept;
  bool is_cuda() const noexcept;
  bool is_cpu() const noexcept;
};

class Stream {
public:
  StreamId id() const noexcept;
  void synchronize() const;
  bool query() const;
};

enum class ScalarType : int8_t {
  Byte,
  Char,
  Short,
  Int,
  Long,
  Half,
  Float,
  Double,
  ComplexHalf,
  ComplexFloat,
  ComplexDouble,
  Bool,
};
inline constexpr ScalarType kBool = ScalarType::Bool;
inline constexpr ScalarType kInt = ScalarType::Int;
inline constexpr ScalarType kLong = ScalarType::Long;
inline constexpr ScalarType kHalf = ScalarType::Half;
inline constexpr ScalarType kFloat = ScalarType::Float;

class Scalar {
public:
  Scalar(double);
  Scalar(int);
  double toDouble() const;
  float toFloat() const;
  int64_t toLong() const;
  template <typename T> T to() const;
};

template <typename T> class ArrayRef {
public:
  ArrayRef();
  ArrayRef(const std::vector<T> &);
  ArrayRef(std::initializer_list<T>);
  const T *begin() const;
  const T *end() const;
  size_t size() const;
  const T &operator[](size_t) const;
};
using IntArrayRef = ArrayRef<int64_t>;

struct TensorOptions {
  TensorOptions();
  TensorOptions(Device);
  TensorOptions(DeviceType);
  TensorOptions(ScalarType);
  TensorOptions dtype(ScalarType) const noexcept;
  TensorOptions device(Device) const noexcept;
  TensorOptions device(DeviceType) const noexcept;
  TensorOptions pinned_memory(std::optional<bool>) const noexcept;
  TensorOptions requires_grad(std::optional<bool>) const noexcept;
};
} // namespace c10

#endif // CUDAGRAPH_MOCK_C10_CORE_H
