# Defenses against memory errors, as Debian's packages have them, also in builds from the source tree: checks of stack
# frames and of calls to string functions with known sizes, and addresses of functions that are resolved and made
# read-only at the start.
#
# Not for sanitizers, which replace the same functions, nor for the preset small, whose users measure every byte.
if(NOT SIGHTGLASS_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL MinSizeRel)
  add_compile_options(-fstack-protector-strong)
  # FORTIFY requires optimization. dpkg-buildflags may have set its own level.
  if(NOT "${CMAKE_C_FLAGS} ${CMAKE_CXX_FLAGS}" MATCHES FORTIFY_SOURCE)
    add_compile_options($<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
  endif()
  add_link_options(-Wl,-z,relro,-z,now)
endif()
