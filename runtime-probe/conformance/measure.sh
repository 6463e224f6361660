#!/bin/sh
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds capture_matrix and, unless told otherwise, runs it.
#   measure.sh --build-only BINARY
#   measure.sh OUTPUT.json [capture_matrix options]
# NVCC names the compiler (default: nvcc of PATH or /usr/local/cuda). Folders
# in CUDAGRAPH_LIBRARY_ROOTS (each with include/ and lib/) are searched too.
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

# The largest set of libraries that links wins.
compile() { # FLAGS LIBRARIES
  # shellcheck disable=SC2086
  "$nvcc" -std=c++17 -arch="$arch" -t 0 -w $1 $paths $rpath \
    "$here"/*.cu -o "$binary" $driver $2
}
math="-lcupti -lcublas -lcufft -lcurand -lcusolver -lcusparse"
compile -DCUDAGRAPH_WITH_CUDNN "$math -lcudnn" 2>"$build/log" ||
  compile "" "$math" 2>>"$build/log" || {
  cat "$build/log" >&2
  echo "measure.sh: without the libraries" >&2
  compile -DCUDAGRAPH_WITHOUT_LIBRARIES ""
}
[ -z "$only" ] || exit 0

CUDAGRAPH_DRIVER_VERSION=$(nvidia-smi --query-gpu=driver_version \
  --format=csv,noheader | head -n 1)
export CUDAGRAPH_DRIVER_VERSION
"$binary" --output "$output" "$@"
