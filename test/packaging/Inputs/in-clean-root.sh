# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs inside the clean root; packages.test compares the output.

get() {
  apt-get install -y -q --no-install-recommends "$@" >apt.log 2>&1 ||
    { cat apt.log; exit 1; }
}
lacks() {
  for program; do
    ! command -v "$program" || { echo "there is $program already"; exit 1; }
  done
}

cd /opt
lacks g++ clang-22 clang-tidy-22 cudagraph-tidy
get ./cudagraph-tidy_*.deb ./cudagraph-probe_*.deb
lacks clang-22 clang-tidy-22
cp -r /usr/share/doc/cudagraph-tidy/examples project
cd project

echo "== version"
cudagraph-tidy --version
cudagraph-probe --version
echo "== finding"
cudagraph-tidy --cuda-path=mock engine.cu || echo "status $?"
echo "== clean"
cudagraph-tidy --quiet --cuda-path=mock correct.cu && echo "status 0"
echo "== explain"
cudagraph-tidy explain 906
echo "== checks"
cudagraph-tidy list-checks
echo "== plugin"
get clang-tidy-22
clang-tidy-22 --load=/usr/lib/CudaGraphTidyPlugin-22.so \
  --checks='-*,cudagraph-*' engine.cu -- -x cuda --cuda-host-only \
  -nocudainc -nocudalib -isystem /usr/share/cudagraph-tidy/cuda/include \
  -include cuda_runtime.h
echo "== annotated code is compiled, and linked to the library of the probe"
printf '#include <cudagraph/probe.h>\nint main() {}\n' >own.cpp
g++ -std=c++17 -DCUDAGRAPH_PROBE own.cpp -lcudagraph_probe -ldl -o own &&
  ./own && echo "it runs"
echo "== language server"
for server in /opt/cudagraph-clangd_*.deb; do
  if [ -e "$server" ]; then
    get "$server"
    cudagraph-clangd --cuda-path=mock --check=engine.cu 2>&1 |
      grep -o 'All checks completed, 0 errors' || echo "it cannot read a file"
  else
    echo "was not built"
  fi
done
echo "== removal"
apt-get purge -y -q cudagraph-tidy cudagraph-probe >apt.log 2>&1 ||
  { cat apt.log; exit 1; }
find /usr /var/lib/dpkg/info -iname '*cudagraph*' | grep . || echo "nothing is left"
