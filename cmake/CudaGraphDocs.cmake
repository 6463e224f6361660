# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds the pages in docs/ if the tools exist (Debian's packages
# mkdocs-material and go-md2man): the target `docs-site` builds the website, and
# `man` builds the manual pages, which are part of the default build and are
# installed. Shell completions need no build, because they query the programs.

find_program(CUDAGRAPH_MKDOCS mkdocs)
if(CUDAGRAPH_MKDOCS)
  add_custom_target(docs-site
    COMMAND ${CUDAGRAPH_MKDOCS} build --strict --clean
            --config-file ${PROJECT_SOURCE_DIR}/mkdocs.yml
            --site-dir ${PROJECT_BINARY_DIR}/site
    COMMENT "Building the site: site/index.html"
    USES_TERMINAL VERBATIM)
endif()

find_program(CUDAGRAPH_MD2MAN go-md2man)
find_package(Python3 3.9 QUIET COMPONENTS Interpreter)
if(CUDAGRAPH_MD2MAN AND Python3_Interpreter_FOUND)
  set(manual ${PROJECT_SOURCE_DIR}/docs/man)
  set(manuals)
  foreach(program cudagraph-tidy cudagraph-probe cudagraph-clangd)
    set(page ${PROJECT_BINARY_DIR}/share/man/man1/${program}.1)
    add_custom_command(OUTPUT ${page}
      COMMAND ${Python3_EXECUTABLE} ${manual}/manpage.py ${CUDAGRAPH_MD2MAN}
              ${PROJECT_VERSION} ${manual}/${program}.md ${page}
      DEPENDS ${manual}/manpage.py ${manual}/${program}.md
              ${PROJECT_SOURCE_DIR}/docs/command-line.md
              ${PROJECT_SOURCE_DIR}/docs/probe.md
      COMMENT "Generating the manual page of ${program}" VERBATIM)
    list(APPEND manuals ${page})
    string(REPLACE "cudagraph-" "" component ${program})
    # Some builds do not include the language server.
    if(TARGET ${program})
      install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
        COMPONENT ${component})
    endif()
  endforeach()
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/man/man1)
  add_custom_target(man ALL DEPENDS ${manuals})
endif()

set(completions ${PROJECT_SOURCE_DIR}/completions)
foreach(component tidy probe)
  install(FILES ${completions}/cudagraph-tidy.bash RENAME cudagraph-${component}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    COMPONENT ${component})
  install(FILES ${completions}/_cudagraph-tidy RENAME _cudagraph-${component}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
    COMPONENT ${component})
  install(FILES ${completions}/cudagraph-tidy.fish
    RENAME cudagraph-${component}.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
    COMPONENT ${component})
endforeach()
