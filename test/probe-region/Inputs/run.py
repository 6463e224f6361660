"""usage: run.py BUILD INCLUDE OUTPUT SOURCE

Builds a program against the library and the driver of fake.cpp, and runs it."""

import os
import subprocess
import sys

build, include, output, source = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
lib = os.path.join(build, "lib")
os.makedirs(output, exist_ok=True)
fake = os.path.join(output, "libfake.so")
program = os.path.join(output, "program")
strict = ["-std=c++17", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
subprocess.run(["g++", *strict, "-shared", "-fPIC", os.path.join(here, "fake.cpp"),
                "-o", fake], check=True)
subprocess.run(["g++", *strict, "-DCUDAGRAPH_PROBE", "-I", include, "-I", here, source,
                "-o", program, f"-L{lib}", "-lcudagraph_probe", fake,
                f"-Wl,-rpath,{lib}:{output}"], check=True)
environment = {"CUDAGRAPH_PROBE_DRIVER": fake, **os.environ}
sys.exit(subprocess.run([program], env=environment, timeout=60).returncode)
