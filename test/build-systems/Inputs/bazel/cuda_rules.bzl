"""The parts of rules_cuda on which cudagraph_tidy.bzl relies: kind, attributes,
CcInfo."""

def _impl(ctx):
    contexts = [dep[CcInfo].compilation_context for dep in ctx.attr.deps]
    return [CcInfo(compilation_context = cc_common.create_compilation_context(
        headers = depset(transitive = [c.headers for c in contexts]),
        includes = depset(transitive = [c.includes for c in contexts]),
        quote_includes = depset(["."]),
        system_includes = depset(transitive = [c.system_includes for c in contexts]),
    ))]

cuda_library = rule(
    implementation = _impl,
    attrs = {
        "srcs": attr.label_list(allow_files = True),
        "deps": attr.label_list(),
        "copts": attr.string_list(),
        "defines": attr.string_list(),
        "local_defines": attr.string_list(),
        "host_copts": attr.string_list(),
    },
)
