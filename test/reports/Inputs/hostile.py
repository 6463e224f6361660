#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""hostile.py DIRECTORY: writes a source whose name, expressions, and bytes are markup
in some format, and prints its path."""

import os
import sys

name = b"a%0A,<script>\"'&[x](1)|`@b\n::error::#\xc3\xa9\xff.cu"
source = """struct Streams { cudaStream_t operator[](const char *name); };
Streams streams;
void step() {
  /* \xf0\x9f\x98\x80\xc3\xa9\xff\x1b[31m */ cudaStreamSynchronize(streams["</script><script>'1'</script>&amp;"]);
  cudaDeviceSynchronize(); /* \x01]]> */ cudaDeviceSynchronize();
}
void capture() {
  cudaGraph_t graph;
  cudaStream_t s = streams["%0A::error::|`x`|[x](1){0}@all"];
  cudaStreamBeginCapture(streams["%0A::error::|`x`|[x](1){0}@all"], cudaStreamCaptureModeGlobal);
  step();
  cudaStreamEndCapture(streams["%0A::error::|`x`|[x](1){0}@all"], &graph);
}
"""
path = os.path.join(os.fsencode(sys.argv[1]), name)
with open(path, "wb") as f:
    f.write(source.encode("latin-1"))
