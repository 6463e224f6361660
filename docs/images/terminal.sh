#!/usr/bin/env bash
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes terminal.png in this folder: the driver, run in a real terminal.
#   docs/images/terminal.sh
# Needs build/release and Debian's packages xvfb xterm x11-utils imagemagick
# fonts-dejavu-core; uses optipng if it is installed.

set -euo pipefail
cd "$(dirname "$0")/../.."
export DISPLAY=:77 PATH=$PWD/build/release/bin:$PATH
Xvfb $DISPLAY -screen 0 2400x1800x24 >/dev/null 2>&1 &
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
sleep 1

colors=()
for color in 2:8fd18b 10:8fd18b 5:d79bf0 13:d79bf0 6:7fd1d8 14:7fd1d8; do
  colors+=(-xrm "XTerm*color${color%:*}: #${color#*:}")
done
xterm -fa 'DejaVu Sans Mono' -fs 14 -b 14 +sb -geometry 122x33+0+0 \
  -bg '#1e1e2e' -fg '#dcdcea' -bd '#1e1e2e' "${colors[@]}" \
  -xrm 'XTerm*cursorColor: #1e1e2e' -e bash -c \
  'echo "$ cudagraph-tidy examples/*.cu 2>/dev/null"
   cudagraph-tidy examples/*.cu 2>/dev/null; sleep 60' &
sleep 8
window=$(xwininfo -root -tree | awk '/xterm/ { print $1; exit }')
import -window "$window" docs/images/terminal.png
! command -v optipng >/dev/null || optipng -q -o5 docs/images/terminal.png
