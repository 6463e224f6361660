//===- vector_base.h - The common part of vectors ---------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_DETAIL_VECTOR_BASE_H
#define CUDAGRAPH_MOCK_THRUST_DETAIL_VECTOR_BASE_H

#include "common.h"

namespace thrust {
namespace detail {

// The iterators and members that all vectors share. References and pointers are
// those of the allocator.
template <class Pointer> struct normal_iterator : Pointer {
  typedef normal_iterator self;
  __host__ __device__ normal_iterator() {}
  __host__ __device__ normal_iterator(const Pointer &p) : Pointer(p) {}
  template <class Other>
  __host__ __device__ normal_iterator(const normal_iterator<Other> &other)
      : Pointer(other) {}
  __host__ __device__ normal_iterator &operator++() {
    Pointer::operator++();
    return *this;
  }
  __host__ __device__ normal_iterator operator++(int) {
    normal_iterator p = *this;
    Pointer::operator++();
    return p;
  }
  __host__ __device__ normal_iterator &operator+=(ptrdiff_t n) {
    Pointer::operator+=(n);
    return *this;
  }
  __host__ __device__ normal_iterator operator+(ptrdiff_t n) const {
    return normal_iterator(Pointer::operator+(n));
  }
  __host__ __device__ normal_iterator operator-(ptrdiff_t n) const {
    return normal_iterator(Pointer::operator-(n));
  }
  __host__ __device__ ptrdiff_t operator-(const normal_iterator &other) const {
    return Pointer::operator-(other);
  }
  __host__ __device__ Pointer base() const { return *this; }
};
template <class T> struct normal_iterator<T *> {
  typedef T value_type;
  typedef ptrdiff_t difference_type;
  typedef T &reference;
  typedef T *pointer;
  T *raw;
  __host__ __device__ normal_iterator(T *p = nullptr) : raw(p) {}
  template <class Other>
  __host__ __device__ normal_iterator(const normal_iterator<Other *> &other)
      : raw(other.raw) {}
  __host__ __device__ T &operator*() const { return *raw; }
  __host__ __device__ T &operator[](ptrdiff_t i) const { return raw[i]; }
  __host__ __device__ T *operator->() const { return raw; }
  __host__ __device__ normal_iterator &operator++() {
    ++raw;
    return *this;
  }
  __host__ __device__ normal_iterator operator++(int) {
    return normal_iterator(raw++);
  }
  __host__ __device__ normal_iterator &operator--() {
    --raw;
    return *this;
  }
  __host__ __device__ normal_iterator &operator+=(ptrdiff_t n) {
    raw += n;
    return *this;
  }
  __host__ __device__ normal_iterator operator+(ptrdiff_t n) const {
    return normal_iterator(raw + n);
  }
  __host__ __device__ normal_iterator operator-(ptrdiff_t n) const {
    return normal_iterator(raw - n);
  }
  __host__ __device__ ptrdiff_t operator-(const normal_iterator &other) const {
    return raw - other.raw;
  }
  __host__ __device__ bool operator==(const normal_iterator &other) const {
    return raw == other.raw;
  }
  __host__ __device__ bool operator!=(const normal_iterator &other) const {
    return raw != other.raw;
  }
  __host__ __device__ bool operator<(const normal_iterator &other) const {
    return raw < other.raw;
  }
  __host__ __device__ T *base() const { return raw; }
};

template <class T, class Alloc> struct vector_base {
  typedef T value_type;
  typedef size_t size_type;
  typedef ptrdiff_t difference_type;
  typedef Alloc allocator_type;
  typedef typename Alloc::pointer pointer;
  typedef typename Alloc::const_pointer const_pointer;
  typedef typename Alloc::reference reference;
  typedef typename Alloc::const_reference const_reference;
  typedef normal_iterator<pointer> iterator;
  typedef normal_iterator<const_pointer> const_iterator;

  vector_base();
  explicit vector_base(size_t n);
  vector_base(size_t n, const T &value);
  vector_base(const vector_base &other);
  vector_base(vector_base &&other);
  vector_base &operator=(const vector_base &other);
  vector_base &operator=(vector_base &&other);
  ~vector_base();

  void resize(size_t n);
  void resize(size_t n, const T &value);
  void reserve(size_t n);
  void shrink_to_fit();
  void clear();
  void push_back(const T &x);
  void pop_back();
  void swap(vector_base &other);
  void assign(size_t n, const T &x);
  template <class It> void assign(It first, It last);
  iterator insert(iterator position, const T &x);
  template <class It> void insert(iterator position, It first, It last);
  iterator erase(iterator position);
  iterator erase(iterator first, iterator last);

  size_t size() const;
  size_t max_size() const;
  size_t capacity() const;
  bool empty() const;
  iterator begin();
  const_iterator begin() const;
  const_iterator cbegin() const;
  iterator end();
  const_iterator end() const;
  const_iterator cend() const;
  reference operator[](size_t n);
  const_reference operator[](size_t n) const;
  reference front();
  const_reference front() const;
  reference back();
  const_reference back() const;
  pointer data();
  const_pointer data() const;
};

} // namespace detail
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_DETAIL_VECTOR_BASE_H
