#!/bin/sh
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds capture_matrix and runs it, except with --build-only.
#   measure.sh --build-only BINARY
#   measure.sh OUTPUT.json [capture_matrix options]
# NVCC names the compiler (default: nvcc on PATH or in /usr/local/cuda). Folders
# in CUDAGRAPH_LIBRARY_ROOTS (each with include/ and lib/) are also searched.
# Missing libraries are omitted and named.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
cuda=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
arch=${CUDAGRAPH_ARCH:-native}

build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
binary=$build/capture_matrix
only=
if [ "$1" = --build-only ]; then
  only=1 binary=$2
else
  output=$1
fi
shift

paths="-L$cuda/lib64 -L$cuda/lib64/stubs
  -I$cuda/extras/CUPTI/include -L$cuda/extras/CUPTI/lib64"
rpath="-Xlinker -rpath -Xlinker $cuda/lib64
  -Xlinker -rpath -Xlinker $cuda/extras/CUPTI/lib64"
for root in ${CUDAGRAPH_LIBRARY_ROOTS:-}; do
  paths="$paths -I$root/include -L$root/lib"
  rpath="$rpath -Xlinker -rpath -Xlinker $root/lib"
done
driver=-lcuda
[ -e "$cuda/lib64/stubs/libcuda.so" ] ||
  driver=$(ldconfig -p | sed -n 's/.*libcuda\.so\.1 .*=> //p' | head -n 1)

# probe HEADER LIBRARY: can it be included and linked?
probe() {
  echo "#include <$1>
int main() { return 0; }" >"$build/probe.cu"
  # shellcheck disable=SC2086
  "$nvcc" -std=c++17 -arch="$arch" -w $paths "$build/probe.cu" \
    -o "$build/probe" "-l$2" 2>>"$build/log"
}
flags= libraries=
without() {
  echo "measure.sh: omitting $1: $2 is missing" >&2
  sed -n '$p' "$build/log" >&2
}
for each in cupti.h:cupti cublasLt.h:cublasLt cublas_v2.h:cublas cufft.h:cufft \
  curand.h:curand cusolverDn.h:cusolver cusparse.h:cusparse nvrtc.h:nvrtc; do
  if probe "${each%:*}" "${each#*:}"; then
    libraries="$libraries -l${each#*:}"
  else
    flags=-DCUDAGRAPH_WITHOUT_LIBRARIES
    without libraries "${each#*:}"
  fi
done
if [ -z "$flags" ]; then
  if probe cudnn.h cudnn; then
    flags="$flags -DCUDAGRAPH_WITH_CUDNN" libraries="$libraries -lcudnn"
  else
    without cuDNN cudnn
  fi
  if probe nccl.h nccl; then
    flags="$flags -DCUDAGRAPH_WITH_NCCL" libraries="$libraries -lnccl"
  else
    without NCCL nccl
  fi
else
  libraries=
fi
# shellcheck disable=SC2086
"$nvcc" -std=c++17 -arch="$arch" -t 0 -w $flags $paths $rpath "$here"/*.cu \
  -o "$binary" $driver $libraries
[ -z "$only" ] || exit 0

CUDAGRAPH_DRIVER_VERSION=$(nvidia-smi --query-gpu=driver_version \
  --format=csv,noheader | head -n 1)
export CUDAGRAPH_DRIVER_VERSION
"$binary" --output "$output" "$@"
