# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs cudagraph-tidy as part of a Bazel build (docs/build-systems.md).

An aspect summarizes each source of cc_* and cuda_* rules and of their
dependencies, one action per source; cudagraph_tidy_test links the summaries and
fails if there are findings. All paths are relative to the execution root, so
that actions can run elsewhere and share their results.
"""

load("@rules_cc//cc:action_names.bzl", "ACTION_NAMES")
load("@rules_cc//cc:find_cc_toolchain.bzl", "find_cc_toolchain", "use_cc_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")

CudaGraphTidyInfo = provider(
    doc = "The inputs for linking a program.",
    fields = {
        "summaries": "depset of summaries, of this target and its dependencies",
        "files": "depset of the files that they were created from",
        "cuda_defines": "depset of the defines that cuda_* rules pass on",
    },
)

OptionsInfo = provider(doc = "Value of a flag.", fields = {"value": "list"})

_SOURCES = ("c", "cc", "cpp", "cxx", "c++", "C", "cu")
_SKIP_TAG = "no-cudagraph-tidy"

# Flags that affect how a source parses. The rest of a command line controls
# code generation and warnings, and Clang does not support much of it.
_WITH_VALUE = (
    "-D",
    "-U",
    "-I",
    "-iquote",
    "-isystem",
    "-idirafter",
    "-include",
    "-imacros",
    "-isysroot",
    "-target",
    "-x",
)
_ALONE = (
    "-std=",
    "--std=",
    "-stdlib=",
    "-nostdinc",
    "--sysroot=",
    "--target=",
    "-m",
    "-pthread",
    "-fopenmp",
    "-fexceptions",
    "-fno-exceptions",
    "-frtti",
    "-fno-rtti",
    "-fsigned-char",
    "-funsigned-char",
    "-fshort-",
    "-fms-extensions",
    "-fcoroutines",
    "-fchar8_t",
)

# nvcc's long names, and Clang's.
_NVCC = {
    "--define-macro": "-D",
    "--undefine-macro": "-U",
    "--include-path": "-I",
    "--system-include": "-isystem",
    "--pre-include": "-include",
    "--compiler-options": "-Xcompiler",
    "--std": "-std",
}

def _parse_flags(flags):
    """The arguments of a command line that affect how a source parses."""
    words = []
    for flag in flags:
        name, equals, value = flag.partition("=")
        if name in _NVCC:
            flag = _NVCC[name]
            if flag == "-std":
                flag = "-std=" + value if equals else "-std"
            elif equals:
                words.append(flag)
                flag = value
        words.append(flag)
    result = []
    pending = None
    for word in words:
        if pending == "-Xcompiler":
            # Starlark has no recursion, so only joined values are recognized in
            # this list.
            result += [w for w in word.split(",") if _is_kept(w)]
            pending = None
        elif pending == "-std":
            result.append("-std=" + word)
            pending = None
        elif pending:
            value = "cuda" if pending == "-x" and word == "cu" else word
            result += [pending, value]
            pending = None
        elif word in _WITH_VALUE or word in ("-Xcompiler", "-std"):
            pending = word
        elif word.startswith("-Xcompiler="):
            result += [w for w in word[len("-Xcompiler="):].split(",") if _is_kept(w)]
        elif _is_kept(word):
            result.append(word)
    return result

def _is_kept(word):
    if word.startswith(_ALONE):
        # -MD and similar options are not machine options, nor is nvcc's -maxrregcount.
        return not word.startswith("-maxrregcount")
    return word.startswith(("-D", "-U", "-I", "-iquote", "-isystem", "-idirafter"))

def _toolchain_flags(ctx, action, copts):
    cc_toolchain = find_cc_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = cc_toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    variables = cc_common.create_compile_variables(
        feature_configuration = features,
        cc_toolchain = cc_toolchain,
        user_compile_flags = copts,
    )
    return cc_common.get_memory_inefficient_command_line(
        feature_configuration = features,
        action_name = action,
        variables = variables,
    )

def _include_flags(context, is_cuda):
    flags = []
    for path in context.includes.to_list():
        flags += ["-I", path]
    for path in context.quote_includes.to_list():
        # nvcc has no -iquote, and rules_cuda gives it -I.
        flags += ["-I" if is_cuda else "-iquote", path]
    for path in context.system_includes.to_list():
        # This includes cc_library(includes). The analysis does not enter code
        # in system headers, but must enter code of this repository.
        parts = path.split("/")
        flags += ["-isystem" if "external" in parts or path.startswith("/") else "-I", path]
    external = getattr(context, "external_includes", None)
    for path in external.to_list() if external else []:
        flags += ["-isystem", path]
    for path in context.framework_includes.to_list():
        flags += ["-F", path]
    return flags

def _expand(ctx, values):
    """Expands Make variables and $(location), as cc_library does in its copts."""
    targets = []
    for name in ("srcs", "hdrs", "data", "additional_compiler_inputs"):
        for target in getattr(ctx.rule.attr, name, None) or []:
            if type(target) == "Target":
                targets.append(target)
    result = []
    for value in values:
        if "$(" in value:
            value = ctx.expand_location(value, targets)
            for name, text in ctx.var.items():
                value = value.replace("$(" + name + ")", text)
        result.append(value)
    return result

def _files_of(ctx, attribute):
    result = []
    for target in getattr(ctx.rule.attr, attribute, None) or []:
        if type(target) == "Target":
            result += target.files.to_list()
    return result

def _headers_of(target):
    transitive = [target.files]
    if CcInfo in target:
        transitive.append(target[CcInfo].compilation_context.headers)
    return depset(transitive = transitive)

def _cuda_root(headers):
    """The directory whose include/ has cuda_runtime.h, or None."""
    for file in headers.to_list():
        if file.basename == "cuda_runtime.h" and file.dirname.endswith("/include"):
            return file.dirname[:-len("/include")]
    return None

def _summarize(ctx, source, flags, inputs, cuda_root):
    name = "_cudagraph_tidy/{}/{}.summary".format(
        ctx.label.name,
        source.short_path.replace("../", "__/"),
    )
    summary = ctx.actions.declare_file(name)
    args = ctx.actions.args()
    args.add("summarize")
    args.add("-o", summary)
    args.add("--quiet")
    if cuda_root:
        args.add("--cuda-path=" + cuda_root)
    args.add_all(ctx.attr._summarize_options[OptionsInfo].value)
    args.add(source)
    args.add("--")
    args.add_all(flags)
    ctx.actions.run(
        executable = ctx.attr._tool.files_to_run,
        arguments = [args],
        inputs = inputs,
        outputs = [summary],
        mnemonic = "CudaGraphSummarize",
        progress_message = "Summarizing %s" % source.short_path,
        use_default_shell_env = True,
    )
    return summary

def _aspect_impl(target, ctx):
    summaries = []
    files = []
    defines = []
    for attribute in ("deps", "implementation_deps", "srcs", "actual", "dep"):
        value = getattr(ctx.rule.attr, attribute, None) or []
        for dep in value if type(value) == "list" else [value]:
            if type(dep) == "Target" and CudaGraphTidyInfo in dep:
                summaries.append(dep[CudaGraphTidyInfo].summaries)
                files.append(dep[CudaGraphTidyInfo].files)
                defines.append(dep[CudaGraphTidyInfo].cuda_defines)
    is_cuda_rule = ctx.rule.kind.startswith("cuda_")
    own_defines = []
    if is_cuda_rule:
        own_defines = _expand(ctx, getattr(ctx.rule.attr, "defines", []))
    cuda_defines = depset(own_defines, transitive = defines)
    own = []
    if (CcInfo in target and
        not target.label.workspace_root.startswith("external") and
        _SKIP_TAG not in (getattr(ctx.rule.attr, "tags", None) or [])):
        given = _files_of(ctx, "srcs")
        sources = [f for f in given if f.extension in _SOURCES]
        if sources:
            context = target[CcInfo].compilation_context
            cuda_headers = _headers_of(ctx.attr._cuda_headers)
            inputs = depset(
                given + _files_of(ctx, "additional_compiler_inputs"),
                transitive = [context.headers, cuda_headers],
            )
            files.append(inputs)
            cuda_root = _cuda_root(cuda_headers)
            for source in sources:
                flags = _flags_for(ctx, source, context, is_cuda_rule, cuda_defines)
                own.append(_summarize(ctx, source, flags, inputs, cuda_root))
    all = depset(own, transitive = summaries)
    return [
        CudaGraphTidyInfo(
            summaries = all,
            files = depset(transitive = files),
            cuda_defines = cuda_defines,
        ),
        OutputGroupInfo(cudagraph_summaries = all),
    ]

def _flags_for(ctx, source, context, is_cuda_rule, cuda_defines):
    """The Clang arguments with which SOURCE of this target is parsed."""
    attr = ctx.rule.attr
    is_cuda = is_cuda_rule or source.extension == "cu"
    fragment = ctx.fragments.cpp
    copts = list(fragment.copts)
    if source.extension == "c" and not is_cuda:
        action = ACTION_NAMES.c_compile
        copts += fragment.conlyopts
        names = ("copts", "conlyopts")
    else:
        action = ACTION_NAMES.cpp_compile
        copts += fragment.cxxopts
        names = ("host_copts", "copts") if is_cuda_rule else ("copts", "cxxopts")
    flags = _parse_flags(_toolchain_flags(ctx, action, copts))
    for name in names:
        flags += _parse_flags(_expand(ctx, getattr(attr, name, None) or []))
    defines = context.defines.to_list() + context.local_defines.to_list()
    if is_cuda_rule:
        defines += cuda_defines.to_list()
        defines += _expand(ctx, getattr(attr, "local_defines", []))
    flags += ["-D" + define for define in defines]
    flags += _include_flags(context, is_cuda)
    if CcInfo in ctx.attr._cuda_headers:
        toolkit = ctx.attr._cuda_headers[CcInfo].compilation_context
        for path in toolkit.system_includes.to_list() + toolkit.includes.to_list():
            flags += ["-isystem", path]
    if is_cuda and "-x" not in flags:
        flags += ["-x", "cuda"]
    return flags

cudagraph_tidy_aspect = aspect(
    doc = """Summarizes the sources of cc_* and cuda_* rules.

    Targets of other repositories, and those with the tag no-cudagraph-tidy,
    are omitted: the functions they define are opaque.""",
    implementation = _aspect_impl,
    attr_aspects = ["deps", "implementation_deps", "srcs", "actual", "dep"],
    attrs = {
        "_cc_toolchain": attr.label(
            default = Label("@bazel_tools//tools/cpp:current_cc_toolchain"),
        ),
        "_cuda_headers": attr.label(default = Label("//:cuda_headers")),
        "_summarize_options": attr.label(
            default = Label("//:summarize_options"),
            providers = [OptionsInfo],
        ),
        "_tool": attr.label(
            default = Label("//:tool"),
            executable = True,
            cfg = "exec",
        ),
    },
    fragments = ["cpp"],
    toolchains = use_cc_toolchain(),
)

# The build fails only if there is no result. If there are findings, the test fails
# instead, so that the report is available.
_LINK = """
report=$1 status=$2; shift 2
"$@" > "$report" 2> "$report.notes"
code=$?
if [ $code -ne 0 ] && [ $code -ne 1 ] && [ $code -ne 3 ]; then
  cat "$report.notes" >&2
  exit $code
fi
cat "$report.notes" >> "$report"
rm -f "$report.notes"
echo $code > "$status"
"""

_SHOW = """#!/bin/sh
cat '{report}'
if [ -n "$TEST_UNDECLARED_OUTPUTS_DIR" ]; then
  cp '{json}' "$TEST_UNDECLARED_OUTPUTS_DIR/cudagraph-tidy.json"
fi
read -r code < '{status}'
exit "$code"
"""

def _test_impl(ctx):
    infos = [dep[CudaGraphTidyInfo] for dep in ctx.attr.deps]
    summaries = depset(transitive = [info.summaries for info in infos])
    if not summaries.to_list():
        fail("deps compile no C, C++, or CUDA source of this repository")
    report = ctx.actions.declare_file(ctx.label.name + ".report.txt")
    json = ctx.actions.declare_file(ctx.label.name + ".report.json")
    status = ctx.actions.declare_file(ctx.label.name + ".status")

    tool = ctx.attr._tool.files_to_run
    args = ctx.actions.args()
    args.add(report)
    args.add(status)
    args.add(tool.executable)
    args.add_all(["link", "--no-cache", "--format=text"])
    args.add("--format=json:" + json.path)
    if ctx.attr.checks:
        args.add("--checks=" + ",".join(ctx.attr.checks))
    args.add_all(["--roots=" + kind for kind in ctx.attr.roots])
    if ctx.attr.confidence:
        args.add("--confidence=" + ctx.attr.confidence)
    args.add_all(ctx.attr.options)

    # The program reads @FILE; the shell does not.
    paths = ctx.actions.args()
    paths.set_param_file_format("multiline")
    paths.use_param_file("@%s", use_always = True)
    paths.add_all(summaries)
    ctx.actions.run_shell(
        command = _LINK,
        arguments = [args, paths],
        inputs = depset(
            ctx.files.data,
            transitive = [summaries] + [info.files for info in infos],
        ),
        tools = [tool],
        outputs = [report, json, status],
        mnemonic = "CudaGraphLink",
        progress_message = "Linking the summaries of %s" % ctx.label,
        use_default_shell_env = True,
    )

    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(script, _SHOW.format(
        json = json.short_path,
        report = report.short_path,
        status = status.short_path,
    ), is_executable = True)
    return [
        DefaultInfo(
            executable = script,
            runfiles = ctx.runfiles(files = [report, json, status]),
        ),
        OutputGroupInfo(report = depset([report, json])),
    ]

cudagraph_tidy_test = rule(
    doc = "Fails if the code of deps has findings.",
    implementation = _test_impl,
    test = True,
    attrs = {
        "deps": attr.label_list(
            mandatory = True,
            aspects = [cudagraph_tidy_aspect],
            doc = "The targets to analyze, with all their dependencies, as one program",
        ),
        "checks": attr.string_list(doc = "Globs, as for --checks"),
        "roots": attr.string_list(doc = "Also treated as captured, as for --roots"),
        "confidence": attr.string(
            values = ["", "certain", "likely", "possible"],
            doc = "Minimum confidence to report",
        ),
        "options": attr.string_list(doc = "More options of 'cudagraph-tidy link'"),
        "data": attr.label_list(
            allow_files = True,
            doc = "Files that the link reads: .clang-tidy, catalogues",
        ),
        "_tool": attr.label(
            default = Label("//:tool"),
            executable = True,
            cfg = "exec",
        ),
    },
)

def _program_impl(ctx):
    script = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.write(
        script,
        "#!/bin/sh\nexec '{}' \"$@\"\n".format(ctx.attr.path),
        is_executable = True,
    )
    return [DefaultInfo(executable = script)]

cudagraph_tidy_program = rule(
    doc = "A cudagraph-tidy installed on the machine, for --@cudagraph_tidy//:tool.",
    implementation = _program_impl,
    executable = True,
    attrs = {
        "path": attr.string(
            default = "cudagraph-tidy",
            doc = "Its path; a name without a directory is searched for on PATH",
        ),
    },
)

def _options_impl(ctx):
    return [OptionsInfo(value = ctx.build_setting_value)]

cudagraph_tidy_options = rule(
    doc = "A flag that holds options.",
    implementation = _options_impl,
    build_setting = config.string_list(flag = True),
)
