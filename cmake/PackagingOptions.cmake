# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# CPack reads this once for each generator: where things lie in the package.

if(CPACK_GENERATOR STREQUAL "DEB")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  # Each package has a first line of its own.
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY)
else()
  # What PRE_BUILD does is Debian's custom.
  set(CPACK_PRE_BUILD_SCRIPTS)
endif()
