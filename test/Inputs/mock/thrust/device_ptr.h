//===- device_ptr.h - Pointers to device memory --------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_DEVICE_PTR_H
#define CUDAGRAPH_MOCK_THRUST_DEVICE_PTR_H

#include "detail/common.h"

namespace thrust {

template <class T> struct device_ptr;

template <class T> struct device_reference {
  typedef T value_type;
  __host__ __device__ operator T() const;
  __host__ __device__ device_reference &operator=(const T &x);
  __host__ __device__ device_reference &operator=(const device_reference &x);
  __host__ __device__ device_ptr<T> operator&() const;
  device_reference &operator++();
  device_reference &operator--();
  device_reference &operator+=(const T &x);
  device_reference &operator-=(const T &x);
  device_reference &operator*=(const T &x);
  device_reference &operator/=(const T &x);
};

template <class T> struct device_ptr {
  typedef T value_type;
  typedef ptrdiff_t difference_type;
  typedef device_reference<T> reference;
  typedef device_ptr pointer;
  T *raw;
  __host__ __device__ device_ptr() : raw(nullptr) {}
  __host__ __device__ explicit device_ptr(T *ptr) : raw(ptr) {}
  template <class U>
  __host__ __device__ device_ptr(const device_ptr<U> &other) : raw(other.raw) {}
  __host__ __device__ T *get() const { return raw; }
  __host__ __device__ reference operator*() const;
  __host__ __device__ reference operator[](ptrdiff_t i) const;
  __host__ __device__ T *operator->() const { return raw; }
  __host__ __device__ device_ptr &operator++() {
    ++raw;
    return *this;
  }
  __host__ __device__ device_ptr operator++(int) {
    device_ptr p = *this;
    ++raw;
    return p;
  }
  __host__ __device__ device_ptr &operator--() {
    --raw;
    return *this;
  }
  __host__ __device__ device_ptr &operator+=(ptrdiff_t n) {
    raw += n;
    return *this;
  }
  __host__ __device__ device_ptr &operator-=(ptrdiff_t n) {
    raw -= n;
    return *this;
  }
  __host__ __device__ device_ptr operator+(ptrdiff_t n) const {
    return device_ptr(raw + n);
  }
  __host__ __device__ device_ptr operator-(ptrdiff_t n) const {
    return device_ptr(raw - n);
  }
  __host__ __device__ ptrdiff_t operator-(const device_ptr &other) const {
    return raw - other.raw;
  }
  __host__ __device__ bool operator==(const device_ptr &other) const {
    return raw == other.raw;
  }
  __host__ __device__ bool operator!=(const device_ptr &other) const {
    return raw != other.raw;
  }
  __host__ __device__ bool operator<(const device_ptr &other) const {
    return raw < other.raw;
  }
};

template <class T>
__host__ __device__ device_ptr<T> device_pointer_cast(T *ptr) {
  return device_ptr<T>(ptr);
}
template <class T>
__host__ __device__ device_ptr<T>
device_pointer_cast(const device_ptr<T> &ptr) {
  return ptr;
}
template <class T>
__host__ __device__ T *raw_pointer_cast(const device_ptr<T> &ptr) {
  return ptr.raw;
}
template <class T> __host__ __device__ T *raw_pointer_cast(T *ptr) {
  return ptr;
}
template <class T>
__host__ __device__ T &raw_reference_cast(const device_reference<T> &ref);

} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_DEVICE_PTR_H
