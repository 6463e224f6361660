//===- iterator_traits.h - Traits of iterators ---------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_ITERATOR_ITERATOR_TRAITS_H
#define CUDAGRAPH_MOCK_THRUST_ITERATOR_ITERATOR_TRAITS_H

#include "../detail/common.h"

#endif // CUDAGRAPH_MOCK_THRUST_ITERATOR_ITERATOR_TRAITS_H
