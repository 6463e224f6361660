# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# CPack reads this once for each generator. Sets the paths in the package.

if(CPACK_GENERATOR STREQUAL "DEB")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  # The first line of each package's description is different.
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY)
else()
  # PRE_BUILD creates the files that Debian policy requires.
  set(CPACK_PRE_BUILD_SCRIPTS)
endif()
