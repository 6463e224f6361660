//===- Compare.cpp - Compares the buffer contents of two runs -------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers are compared as double, which can represent all four types.
//
//===----------------------------------------------------------------------===//

#include "Compare.h"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace cudagraph::probe_library {

template <class T> static T load(const unsigned char *P) {
  T Value;
  std::memcpy(&Value, P, sizeof(T));
  return Value;
}

static double half(std::uint16_t Bits) {
  int Exponent = (Bits >> 10) & 31, Fraction = Bits & 1023;
  double Value = Exponent == 31 ? (Fraction ? NAN : INFINITY)
                 : Exponent     ? std::ldexp(1024 + Fraction, Exponent - 25)
                                : std::ldexp(Fraction, -24);
  return Bits >> 15 ? -Value : Value;
}

static double brain(std::uint16_t Bits) {
  std::uint32_t Wide = std::uint32_t(Bits) << 16;
  float Value;
  std::memcpy(&Value, &Wide, sizeof(Value));
  return Value;
}

static double number(int Element, const unsigned char *P) {
  switch (Element) {
  case tolerance::f16:
    return half(load<std::uint16_t>(P));
  case tolerance::bf16:
    return brain(load<std::uint16_t>(P));
  case tolerance::f32:
    return load<float>(P);
  case tolerance::f64:
    return load<double>(P);
  }
  return *P;
}

static std::size_t width(int Element) {
  switch (Element) {
  case tolerance::f16:
  case tolerance::bf16:
    return 2;
  case tolerance::f32:
    return 4;
  case tolerance::f64:
    return 8;
  }
  return 1;
}

static bool close(double Reference, double Now, const detail::c_buffer &B) {
  if (std::isnan(Reference) || std::isnan(Now))
    return std::isnan(Reference) && std::isnan(Now);
  if (std::isinf(Reference) || std::isinf(Now))
    return Reference == Now;
  return std::fabs(Reference - Now) <=
         B.absolute + B.relative * std::fabs(Reference);
}

Mismatch compare(const detail::c_buffer &B, const unsigned char *Reference,
                 const unsigned char *Now) {
  Mismatch Seen;
  if (!std::memcmp(Reference, Now, B.bytes))
    return Seen;
  std::size_t Step = width(B.element);
  auto Note = [&](std::size_t At) {
    if (!Seen.Count++)
      Seen.Offset = At;
  };
  std::size_t I = 0;
  if (B.element != tolerance::bytes)
    for (; I + Step <= B.bytes; I += Step)
      if (!close(number(B.element, Reference + I), number(B.element, Now + I),
                 B))
        Note(I);
  for (; I < B.bytes; ++I)
    if (Reference[I] != Now[I])
      Note(I);
  return Seen;
}

} // namespace cudagraph::probe_library
