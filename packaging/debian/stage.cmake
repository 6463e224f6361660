# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# CPack runs this on the files of each .deb before packing, for the parts that
# have special names in Debian's policy.

foreach(component tidy probe clangd)
  set(package cudagraph-${component})
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component})
  if(NOT EXISTS ${root})
    continue()
  endif()
  set(doc ${root}/usr/share/doc/${package})
  # The copyright file contains the license.
  file(REMOVE ${doc}/LICENSE ${doc}/CHANGELOG.md)
  configure_file(${CPACK_CUDAGRAPH_SOURCE}/packaging/debian/copyright
    ${doc}/copyright COPYONLY)
  foreach(change "CHANGELOG.md;changelog" "packaging/debian/changelog;changelog.Debian")
    list(GET change 0 from)
    list(GET change 1 to)
    configure_file(${CPACK_CUDAGRAPH_SOURCE}/${from} ${doc}/${to} COPYONLY)
    # Time and name are left out so that identical sources give identical
    # packages.
    execute_process(COMMAND gzip -9nf ${doc}/${to} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  file(GLOB_RECURSE pages ${root}/usr/share/man/*.[1-8])
  if(pages)
    execute_process(COMMAND gzip -9nf ${pages} COMMAND_ERROR_IS_FATAL ANY)
  endif()
  set(zsh ${root}/usr/share/zsh)
  if(EXISTS ${zsh}/site-functions)
    file(RENAME ${zsh}/site-functions ${zsh}/vendor-completions)
  endif()
  set(overrides ${CPACK_CUDAGRAPH_SOURCE}/packaging/debian/${package}.lintian-overrides)
  if(EXISTS ${overrides})
    file(MAKE_DIRECTORY ${root}/usr/share/lintian/overrides)
    configure_file(${overrides}
      ${root}/usr/share/lintian/overrides/${package} COPYONLY)
  endif()
endforeach()
