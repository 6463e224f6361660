// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// code-server loads argon2, which checks passwords and must be compiled. Without
// passwords, nothing calls it.

const modules = require("module");
const load = modules._load;
modules._load = (name, ...more) => (name === "argon2" ? {} : load(name, ...more));
