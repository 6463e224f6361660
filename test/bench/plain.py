# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds plain C++ units, which are unrelated to its capture, to a project that
generate.py has written: each includes typical headers and calls the next
one."""

import json
import os

UNIT = """\
#include "plain.h"
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace plain {{

struct Table_{n} {{
  std::map<std::string, std::vector<int>> rows;
  void insert(const std::string &key, int value) {{ rows[key].push_back(value); }}
  int total() const {{
    int result = 0;
    for (const auto &[key, values] : rows)
      for (int value : values)
        result += value;
    return result;
  }}
}};

int evaluate_{n}(int depth) {{
  auto table = std::make_unique<Table_{n}>();
  for (int i = 0; i < depth; ++i)
    table->insert(std::to_string(i), i);
  log_line("evaluate_{n}");
  return table->total() + (depth > 0 ? evaluate_{next}(depth - 1) : 0);
}}

}} // namespace plain
"""


def add_plain(directory, units):
    """Adds `units` units and their commands."""
    where = os.path.join(directory, "plain")
    os.makedirs(where)
    with open(os.path.join(where, "plain.h"), "w", encoding="utf-8") as f:
        f.write("#pragma once\nnamespace plain {\nvoid log_line(const char *text);\n")
        f.writelines(f"int evaluate_{n}(int depth);\n" for n in range(units))
        f.write("} // namespace plain\n")
    database = os.path.join(directory, "compile_commands.json")
    with open(database, encoding="utf-8") as f:
        commands = json.load(f)
    for n in range(units):
        file = os.path.join(where, f"plain_{n:04}.cpp")
        with open(file, "w", encoding="utf-8") as f:
            f.write(UNIT.format(n=n, next=(n + 1) % units))
        commands.append({"directory": directory, "file": file,
                         "arguments": ["c++", "-std=c++17", "-c", file]})
    with open(database, "w", encoding="utf-8") as f:
        json.dump(commands, f, indent=1)
