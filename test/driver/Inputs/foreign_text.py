# usage: foreign_text.py DRIVER / Runs the driver on hostile names and texts and checks all its
# output.
import os
import re
import subprocess
import sys

driver = sys.argv[1]
EVIL = "\x1b[31m\u202e\u2066\u200b\u2028\u0085\x07"
SOURCE = """#include <cuda_runtime.h>
void step(cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  /* %s ##[add-mask]x */ cudaStreamSynchronize(s);
  cudaStreamEndCapture(s, g);
}
""" % (EVIL.replace("\u2028", ""))
HIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def write(name, text):
    with open(name, "wb") as file:
        file.write(text.encode())


def look(what, args, codes, needs=()):
    done = subprocess.run([driver, "--cuda-path=mock", "--no-cache"] + args, capture_output=True)
    assert done.returncode in codes, (what, done.returncode, done.stderr)
    for stream, data in (("out", done.stdout), ("err", done.stderr)):
        text = data.decode("utf-8")  # strictly
        found = HIDDEN.search(text)
        assert not found, (what, stream, found and hex(ord(found[0])), text)
        assert "##[" not in text and "##vso[" not in text, (what, stream, text)
        for line in text.split("\n"):
            command = line.lstrip().startswith("::")
            assert not command or "--format=github" in args and line.startswith("::warning "), (what, line)
            assert not line.lstrip().startswith("::add-mask"), (what, line)
    for needed in needs:
        assert needed in done.stdout.decode() + done.stderr.decode(), (what, needed, done.stdout, done.stderr)


# The name of a file, and a name from a #line directive.
for name in ("::add-mask::x.cu", "a\n::add-mask::b.cu", "a%s.cu" % EVIL, "##[add-mask]y.cu"):
    write(name, SOURCE)
    for args in ([], ["--format=github"], ["--verbose"]):
        look(name, args + [name, "--"], {1})
    look(name, ["regions", name, "--"], {0})
    write(name, SOURCE.replace(";\n}", "\n}"))
    look(name + " broken", [name, "--"], {1, 3})
write("line.cu", '#line 1 "::add-mask::z\\n::add-mask::\\33[1m\\342\\200\\256"\n' + SOURCE + "\nint x = y;\n")
look("#line", ["line.cu", "--"], {1, 3})
# An error message with text of the source.
write("error.cu", "#error ::add-mask::%s\nstatic_assert(false, \"%s\");\n" % (EVIL.replace("\u2028", ""), "\\33[31m\\n::add-mask::"))
look("#error", ["error.cu", "--"], {3})
# Bytes that are not valid UTF-8.
raw = os.fsencode("b\udcff\udc9b.cu")
with open(raw, "wb") as file:
    file.write(SOURCE.encode())
look("bytes", [os.fsdecode(raw), "--"], {1}, ["b\\xff\\x9b.cu"])
# Options of the compile database, and keys and values of the project file.
os.makedirs("db", exist_ok=True)
write("db/a.cu", SOURCE)
write("db/compile_commands.json", """[{"directory": ".", "file": "a.cu", "arguments":
 ["nvcc", "--evil\\n::add-mask::\\u001b[31m\\u202e", "-arch=sm_\\u001b", "--options-file", "\\n::x\\u0007", "-c", "a.cu"]}]""")
look("database", ["-p", "db"], {1, 3}, ["--evil\\n::add-mask::\\x1b[31m\\u202e"])
write("evil.yaml", '"a\\n::add-mask::\\e[31m": x\n')
look("key", ["--config-file=evil.yaml", "db/a.cu", "--"], {2}, ["unknown key 'a\\n::add-mask::\\x1b[31m'"])
write("evil.yaml", 'Roots: "\\n::add-mask::\\e[31m"\n')
look("value", ["--config-file=evil.yaml", "db/a.cu", "--"], {2})
look("source", ["no%s\n::add-mask::.cu" % EVIL.replace("\u2028", ""), "--"], {2})
# Harmless text is not changed.
os.makedirs("Größe 日本", exist_ok=True)
write("Größe 日本/ä.cu", SOURCE)
look("harmless", ["Größe 日本/ä.cu", "--"], {1}, ["Größe 日本/ä.cu:4:"])
