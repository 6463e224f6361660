#!/usr/bin/env bash
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: clean-root.sh [--script=FILE] PACKAGE... Installs the packages with
# apt-get in a Debian or Ubuntu that has only apt, and runs a script there that
# uses them, by default Inputs/in-clean-root.sh. The system has the release of
# this machine, and comes from its mirrors. Needs mmdebstrap, and root or user
# namespaces.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
script=$here/Inputs/in-clean-root.sh
case ${1:-} in --script=*) script=${1#*=}; shift ;; esac
[ $# -gt 0 ] || { sed -n '5,10s/^# \{0,1\}//p' "$0" >&2; exit 2; }

# The sources of this machine's base system and LLVM.
sources=$(apt-cache policy base-files libclang-common-22-dev |
  awk '/^ +[0-9]+ [a-z]+:/ { split($3, a, "/"); print "deb", $2, a[1], a[2] }' |
  sort -u)
[ -n "$sources" ] || { echo "apt has no package lists: run apt-get update" >&2; exit 2; }

hooks=()
for package; do hooks+=("--customize-hook=copy-in '$package' /opt"); done
printf '%s\n' "$sources" | mmdebstrap --quiet --variant=apt --format=null \
  --skip=cleanup/apt --dpkgopt=force-unsafe-io "${hooks[@]}" \
  --customize-hook="copy-in '$script' /opt" \
  --customize-hook='env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
    DEBIAN_FRONTEND=noninteractive chroot "$1" sh -e /opt/'"${script##*/}" \
  "$release" /dev/null -
