//===- NvccArgsTest.cpp - Compile commands translated to Clang ------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each row contains a command of a build system, and the arguments for
// Clang.
//
//===----------------------------------------------------------------------===//

#include "driver/translation/NvccArgs.h"
#include "driver/translation/NvccTable.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace cudagraph::driver;

namespace {

std::vector<std::string> words(llvm::StringRef Text) {
  llvm::SmallVector<llvm::StringRef> Parts;
  Text.split(Parts, ' ', -1, /*KeepEmpty=*/false);
  return std::vector<std::string>(Parts.begin(), Parts.end());
}

llvm::Expected<std::string> options(llvm::StringRef Path) {
  if (Path == "flags.rsp")
    return "-I/opt/include -DNAME=\"a b\" --options-file inner.rsp";
  if (Path == "inner.rsp")
    return "-DINNER";
  if (Path == "loop.rsp")
    return "--options-file loop.rsp";
  // Each file names the next one twice: 2 to the power of 16 files in all.
  unsigned Level = 0;
  if (Path.consume_front("twice") && !Path.getAsInteger(10, Level)) {
    std::string Next = " --options-file twice" + std::to_string(Level + 1);
    return "-DLEVEL" + std::to_string(Level) + (Level < 15 ? Next + Next : "");
  }
  return llvm::createStringError("there is no such file");
}

Translation translated(llvm::StringRef Command) {
  return translateCommand(words(Command), options);
}

std::string clang(llvm::StringRef Command) {
  return llvm::join(translated(Command).Args, " ");
}

struct Row {
  const char *Given;    ///< between "nvcc" and "a.cu"
  const char *Expected; ///< between "clang++" and "a.cu"
};

constexpr Row NvccRows[] = {
    {"", ""},
    // Language and macros.
    {"-x cu", "-x cuda"},
    {"-x=cu", "-x cuda"},
    {"--x cu", "-x cuda"},
    {"-x c++", "-x c++"},
    {"-std=c++17", "-std=c++17"},
    {"--std c++20", "-std=c++20"},
    {"-std c++14", "-std=c++14"},
    {"-DFOO", "-DFOO"},
    {"-DFOO=1", "-DFOO=1"},
    {"-D FOO=1", "-DFOO=1"},
    {"-D=FOO", "-DFOO"},
    {"--define-macro FOO", "-DFOO"},
    {"--define-macro=FOO=2", "-DFOO=2"},
    {"-UFOO", "-UFOO"},
    {"--undefine-macro=FOO", "-UFOO"},
    {"-I/a", "-I/a"},
    {"-I /a", "-I/a"},
    {"-I=/a", "-I/a"},
    {"-I/a,/b", "-I/a -I/b"},
    {"-isystem=/a,/b", "-isystem /a -isystem /b"},
    {"-include a.h,b.h", "-include a.h -include b.h"},
    {"-DA,B=1", "-DA -DB=1"},
    {"-DA=\"x,y\"", "-DA=\"x,y\""},
    {"-DA=f(1\\,2)", "-DA=f(1,2)"},
    {"--m64", "-m64"},
    {"--include-path=/a", "-I/a"},
    {"-isystem /a", "-isystem /a"},
    {"-isystem=/a", "-isystem /a"},
    {"--system-include /a", "-isystem /a"},
    {"-include a.h", "-include a.h"},
    {"--pre-include=a.h", "-include a.h"},
    {"-m64", "-m64"},
    {"--machine 64", "-m64"},
    {"-O3", "-O3"},
    {"--optimize 2", "-O2"},
    {"-g", "-g"},
    {"-noeh", "-fno-exceptions"},
    // Macros that nvcc defines for the host.
    {"--default-stream=per-thread", "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"},
    {"-default-stream per-thread", "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"},
    {"--default-stream legacy", ""},
    {"--extended-lambda", "-D__CUDACC_EXTENDED_LAMBDA__=1"},
    {"--expt-extended-lambda", "-D__CUDACC_EXTENDED_LAMBDA__=1"},
    {"-extended-lambda -expt-extended-lambda",
     "-D__CUDACC_EXTENDED_LAMBDA__=1"},
    {"--expt-relaxed-constexpr", "-D__CUDACC_RELAXED_CONSTEXPR__=1"},
    {"-rdc=true", "-D__CUDACC_RDC__=1"},
    {"-rdc true", "-D__CUDACC_RDC__=1"},
    {"-rdc=false", ""},
    {"--relocatable-device-code=true", "-D__CUDACC_RDC__=1"},
    {"-dc", "-D__CUDACC_RDC__=1"},
    {"-G", "-D__CUDACC_DEBUG__=1"},
    // Architectures.
    {"-arch=sm_80", "--offload-arch=sm_80"},
    {"-arch sm_80", "--offload-arch=sm_80"},
    {"--gpu-architecture=compute_90", "--offload-arch=sm_90"},
    {"-gencode arch=compute_80,code=sm_80", "--offload-arch=sm_80"},
    {"-gencode=arch=compute_90a,code=sm_90a", "--offload-arch=sm_90a"},
    {"--generate-code=arch=compute_80,code=[compute_80,sm_80]",
     "--offload-arch=sm_80"},
    {"-gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90",
     "--offload-arch=sm_80 --offload-arch=sm_90"},
    {"-gencode arch=compute_80,code=sm_80 "
     "-gencode arch=compute_80,code=compute_80",
     "--offload-arch=sm_80"},
    {"-arch=lto_90", "--offload-arch=sm_90"},
    {"-arch=sm_100f", "--offload-arch=sm_100"},
    {"-arch=sm_130", "--offload-arch=sm_121"},
    {"-arch=native", "--offload-arch=sm_75"},
    {"-arch=all-major", "--offload-arch=sm_75"},
    {"-arch=compute_80 -code=sm_80,compute_80", "--offload-arch=sm_80"},
    // The host compiler's options.
    {"-Xcompiler -fPIC", "-fPIC"},
    {"-Xcompiler=-fPIC", "-fPIC"},
    {"-Xcompiler=-fPIC,-fopenmp", "-fPIC -fopenmp"},
    {"--compiler-options ''-fPIC''", "-fPIC"},
    {"-Xcompiler=-Wall,-fPIC,-Wextra", "-fPIC"},
    {"-Xcompiler=\"-DA=f(1,2)\"", "-DA=f(1,2)"},
    {"-Xcompiler=-DA=f(1\\,2)", "-DA=f(1,2)"},
    {"-Xcompiler -fno-gnu-unique", ""},
    {"-Xcompiler -MF -Xcompiler a.d", ""},
    {"-Xcompiler -isystem -Xcompiler /a -DB", "-isystem /a -DB"},
    {"-Xcompiler -fconcepts", ""},
    {"-fPIC -pthread -march=native", "-fPIC -pthread -march=native"},
    // Options files.
    {"--options-file flags.rsp", "-I/opt/include -DNAME=a b -DINNER"},
    {"--options-file=flags.rsp", "-I/opt/include -DNAME=a b -DINNER"},
    {"-optf flags.rsp", "-I/opt/include -DNAME=a b -DINNER"},
    {"@inner.rsp", "-DINNER"},
    {"--options-file loop.rsp", ""},
    // Options are omitted with their values: a remaining value is an input.
    {"-c -o a.o", ""},
    {"--compile --output-file a.o", ""},
    {"-odir out", ""},
    {"-MD -MT a.o -MF a.d", ""},
    {"-ccbin g++-12", ""},
    {"-ccbin=/usr/bin/g++", ""},
    {"--compiler-bindir /usr/bin", ""},
    {"-Xptxas -v", ""},
    {"-Xptxas=-v,-O3", ""},
    {"-Xcudafe --display_error_number", ""},
    {"-Xcudafe=--diag_suppress=1", ""},
    {"-Xfatbin -compress-all", ""},
    {"-Xnvlink -dump", ""},
    {"-Xlinker -rpath", ""},
    {"-lcudart -L/usr/lib -l cublas", ""},
    {"-lineinfo", ""},
    {"-use_fast_math", ""},
    {"--use_fast_math", ""},
    {"-ftz=true -prec-div=false -prec-sqrt true -fmad false", ""},
    {"--maxrregcount 64", ""},
    {"-maxrregcount=64", ""},
    {"--threads 4", ""},
    {"-t=4", ""},
    {"-t4", ""},
    {"--split-compile=0", ""},
    {"-res-usage -src-in-ptx -ewp", ""},
    {"--keep --keep-dir tmp", ""},
    {"-time nvcc.csv", ""},
    {"-objtemp", ""},
    {"-dlto", ""},
    {"-cudart static -cudadevrt none", ""},
    {"-diag-suppress 20012,177", ""},
    {"--diag-error=1", ""},
    {"-Werror all-warnings", ""},
    {"-Werror=cross-execution-space-call", ""},
    {"-Wno-deprecated-gpu-targets", ""},
    {"-Wext-lambda-captures-this", ""},
    {"-forward-unknown-to-host-compiler", ""},
    {"--allow-unsupported-compiler", ""},
    {"--compress-mode=size", ""},
    {"-static-global-template-stub=false", ""},
    {"--fdevice-time-trace trace.json", ""},
    {"-brief-diag=true", ""},
    {"--dryrun", ""},
    {"-w", ""},
    {"--no-such-option", ""},
};

TEST(NvccArgs, EachOptionBecomesWhatClangUnderstands) {
  for (const Row &R : NvccRows) {
    std::string Expected = "clang++";
    if (*R.Expected)
      Expected += std::string(" ") + R.Expected;
    EXPECT_EQ(clang(std::string("nvcc ") + R.Given + " a.cu"),
              Expected + " a.cu")
        << "for: nvcc " << R.Given << " a.cu";
  }
}

TEST(NvccArgs, LaunchersAreSeenThrough) {
  for (const char *Prefix :
       {"ccache ", "/usr/bin/ccache ", "sccache ", "distcc ", "env A=b ",
        "nice -n 5 ", "ccache sccache ", "env -u CC A=gcc ",
        "/usr/bin/time -f %e -o log ", "timeout -s KILL 60 ccache ",
        "cmake -E env A=b -- ", "cmake -E __run_co_compile --tidy=x -- ",
        "/bin/sh ../libtool --tag=CXX --mode=compile "})
    EXPECT_EQ(clang(std::string(Prefix) + "/opt/cuda/bin/nvcc -rdc=true a.cu"),
              "clang++ -D__CUDACC_RDC__=1 a.cu")
        << Prefix;
}

TEST(NvccArgs, TheToolkitsCompilerIsRemembered) {
  EXPECT_EQ(translated("ccache /opt/cuda/bin/nvcc a.cu").Nvcc,
            "/opt/cuda/bin/nvcc");
  EXPECT_EQ(translated("g++ a.cpp").Nvcc, "");
}

TEST(NvccArgs, AHostCompilersCommandLosesOnlyWhatClangRefuses) {
  EXPECT_EQ(clang("/usr/bin/g++ -Ia -DB=1 -O2 -std=gnu++20 -Wall -Werror "
                  "-fno-canonical-system-headers -MD -MF a.d -o a.o -c a.cpp"),
            "clang++ -Ia -DB=1 -O2 -std=gnu++20 a.cpp");
  EXPECT_EQ(clang("clang++ -x cuda --cuda-path=/c --offload-arch=sm_90 a.cu"),
            "clang++ -x cuda --cuda-path=/c --offload-arch=sm_90 a.cu");
  EXPECT_EQ(clang("g++ -isystem /a -Xclang -verify -- -c"),
            "clang++ -isystem /a -Xclang -verify -- -c");
  EXPECT_EQ(clang("g++ -oa.o -MFa.d a.cpp"), "clang++ a.cpp");
}

TEST(NvccArgs, AHostCompilersResponseFilesAndPreprocessorOptionsAreRead) {
  EXPECT_EQ(clang("g++ @inner.rsp a.cpp"), "clang++ -DINNER a.cpp");
  EXPECT_EQ(clang("g++ -Wp,-D_FORTIFY_SOURCE=2 -Wp,-MD,a.d -Wl,-z a.cpp"),
            "clang++ -D_FORTIFY_SOURCE=2 a.cpp");
  EXPECT_EQ(clang("g++ -L lib -Lb -lc -l d -Xlinker -z -shared a.cpp"),
            "clang++ a.cpp");
  EXPECT_EQ(clang("g++ -specs=s a.cpp"), "clang++ a.cpp");
  // keepHarmless() omits and reports plugins.
  EXPECT_EQ(clang("g++ -fplugin=p.so -fplugin-arg-p-x a.cpp"),
            "clang++ -fplugin=p.so -fplugin-arg-p-x a.cpp");
  EXPECT_EQ(clang("g++ -Wp,-include,p.h -Wp,-MMD,a.d,-DA a.cpp"),
            "clang++ -include p.h -DA a.cpp");
  EXPECT_EQ(clang("g++ -Xpreprocessor -include -Xpreprocessor p.h a.cpp"),
            "clang++ -include p.h a.cpp");
}

TEST(NvccArgs, ClangsOwnArchitecturesAreClampedToo) {
  EXPECT_EQ(clang("clang++ --cuda-gpu-arch=sm_80 a.cu"),
            "clang++ --offload-arch=sm_80 a.cu");
  EXPECT_EQ(clang("clang++ --offload-arch=native a.cu"),
            "clang++ --offload-arch=sm_75 a.cu");
  EXPECT_EQ(clang("clang++ --offload-arch=gfx90a a.cu"),
            "clang++ --offload-arch=gfx90a a.cu");
}

TEST(NvccArgs, InputsAreKnown) {
  Translation T = translated("nvcc -Ia a.cu -Xcompiler -fPIC b.o -o x");
  ASSERT_EQ(T.Inputs.size(), 2u);
  EXPECT_EQ(T.Args[T.Inputs[0]], "a.cu");
  EXPECT_EQ(T.Args[T.Inputs[1]], "b.o");
}

TEST(NvccArgs, ScriptsAroundNvccCompileCuda) {
  EXPECT_EQ(clang("bin/nvcc_wrapper -arch=sm_80 a.cpp"),
            "clang++ -x cuda --offload-arch=sm_80 a.cpp");
  EXPECT_EQ(clang("bin/nvcc_wrapper -x c++ a.cpp"), "clang++ -x c++ a.cpp");
}

TEST(NvccArgs, AHostCompilerIsNamedAsClangIs) {
  EXPECT_EQ(clang("x/crosstool_wrapper_driver_is_not_gcc -x cuda "
                  "-nvcc_options=ftz=true --cuda_log a.cc"),
            "clang -x cuda a.cc");
  EXPECT_EQ(clang("aarch64-linux-gnu-clang++-19 a.cpp"),
            "clang++ --target=aarch64-linux-gnu a.cpp");
  EXPECT_EQ(clang("icpx a.cpp"), "clang++ a.cpp");
  EXPECT_EQ(clang("mpicxx a.cpp"), "clang++ a.cpp");
  EXPECT_EQ(translated("mpicxx a.cpp").Notes.size(), 1u);

  EXPECT_EQ(clang("/usr/bin/g++-12 a.cpp"), "clang++ a.cpp");
  EXPECT_EQ(clang("c++ a.cpp"), "clang++ a.cpp");
  EXPECT_EQ(clang("gcc a.c"), "clang a.c");
  EXPECT_EQ(clang("cc a.c"), "clang a.c");
  EXPECT_EQ(clang("x86_64-linux-gnu-g++-12.2 a.cpp"),
            "clang++ --target=x86_64-linux-gnu a.cpp");
  EXPECT_EQ(clang("/opt/llvm/bin/clang++ a.cpp"),
            "/opt/llvm/bin/clang++ a.cpp");
  EXPECT_EQ(clang("/opt/bin/clang-cl a.cpp"), "/opt/bin/clang-cl a.cpp");
}

TEST(NvccArgs, WhatIsLeftOutIsSaidOnce) {
  Translation T = translated("nvcc --no-such-option --no-such-option a.cu");
  ASSERT_EQ(T.Notes.size(), 1u);
  EXPECT_EQ(T.Notes[0], "unknown option '--no-such-option': ignored");
  EXPECT_EQ(translated("nvcc -arch=sm_130 a.cu").Notes,
            std::vector<std::string>{
                "architecture 'sm_130' is unknown to Clang: using sm_121"});
  EXPECT_EQ(translated("nvcc -arch=native a.cu").Notes,
            std::vector<std::string>{
                "architecture 'native' depends on the machine: using sm_75"});
  EXPECT_EQ(translated("nvcc --options-file no.rsp a.cu").Notes,
            std::vector<std::string>{"cannot read the option file 'no.rsp'; "
                                     "its options are ignored: there is "
                                     "no such file"});
  EXPECT_EQ(
      translated("nvcc --options-file loop.rsp a.cu").Notes,
      std::vector<std::string>{
          "cannot read the option file 'loop.rsp'; its options are ignored: it "
          "includes itself; remove the line that includes it"});
  // The same file twice is not a loop.
  EXPECT_TRUE(translated("nvcc @inner.rsp @inner.rsp a.cu").Notes.empty());
  Translation Twice = translated("nvcc --options-file twice0 a.cu");
  EXPECT_LT(Twice.Args.size(), 2000u);
  ASSERT_FALSE(Twice.Notes.empty());
  EXPECT_NE(Twice.Notes.front().find("includes more than 1000 "),
            std::string::npos);
  EXPECT_TRUE(translated("nvcc -Xptxas -v -lineinfo a.cu").Notes.empty());
}

TEST(NvccArgs, AnOptionAtTheEndThatLacksItsValueIsNoCrash) {
  EXPECT_EQ(clang("nvcc a.cu -gencode"), "clang++ a.cu");
  EXPECT_EQ(clang("nvcc"), "clang++");
  EXPECT_EQ(clang(""), "");
  EXPECT_EQ(clang("g++ a.cpp -o"), "clang++ a.cpp");
}

TEST(NvccArgs, ArchitecturesAreClampedToWhatClangKnows) {
  EXPECT_EQ(clangArchitecture("sm_90a"), "sm_90a");
  EXPECT_EQ(clangArchitecture("compute_86"), "sm_86");
  EXPECT_EQ(clangArchitecture("90"), "sm_90");
  EXPECT_EQ(clangArchitecture("sm_84"), "sm_80");
  EXPECT_EQ(clangArchitecture("sm_9999"), "sm_121");
  EXPECT_EQ(clangArchitecture("sm_4294967295"), "sm_121");
  EXPECT_EQ(clangArchitecture("native"), "");
  EXPECT_EQ(clangArchitecture("all-major"), "");
  EXPECT_EQ(clangArchitecture(""), "");
}

} // namespace
