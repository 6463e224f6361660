# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs inside the clean root with a released package, without LLVM, CUDA, or a
# compiler and its headers. release-root.test compares the output.

lacks() {
  for program; do
    ! command -v "$program" || { echo "there is $program already"; exit 1; }
  done
}
# The first finding, and the time that it took, with the package.
first_finding() {
  "$@" --cuda-path=mock engine.cu 2>&1 | grep -e '64:11: warning' -e 'C++ library' -e '^3 findings'
  seconds=$(($(date +%s) - begin))
  [ $seconds -lt 60 ] && echo "within a minute: $seconds s" || echo "after $seconds seconds"
}

cd /opt
lacks g++ clang clang-22 python3 nvcc cudagraph-tidy
! ls /usr/include/stdio.h /usr/include/c++ 2>/dev/null

echo "== archive"
begin=$(date +%s)
tar xzf cudagraph-tidy-*-linux-*.tar.gz
cp cudagraph-tidy-*/share/doc/cudagraph-tidy/examples/engine.cu .
first_finding cudagraph-tidy-*-linux-*/bin/cudagraph-tidy
rm -rf cudagraph-tidy-*/

echo "== package"
begin=$(date +%s)
apt-get install -y -q --no-install-recommends ./cudagraph-tidy_*.deb >apt.log 2>&1 ||
  { cat apt.log; exit 1; }
first_finding cudagraph-tidy
lacks clang-22 g++ python3
apt-get purge -y -q cudagraph-tidy >apt.log 2>&1
lacks cudagraph-tidy

echo "== wheel"
apt-get install -y -q --no-install-recommends python3-venv >apt.log 2>&1 ||
  { cat apt.log; exit 1; }
begin=$(date +%s)
python3 -m venv venv
venv/bin/pip install -q --no-index --disable-pip-version-check ./cudagraph_tidy-*.whl
first_finding venv/bin/cudagraph-tidy

echo "== pre-commit"
apt-get install -y -q --no-install-recommends git pre-commit >apt.log 2>&1 ||
  { cat apt.log; exit 1; }
# Debian's pre-commit depends on compilers for hooks in other languages.
lacks clang clang-22 cudagraph-tidy
tar xf hooks.tar
env PIP_NO_INDEX=1 PIP_FIND_LINKS=/opt python3 hooks/test/packaging/Inputs/precommit_pip.py hooks |
  grep -e 'waits for' -e 'the commit was'
