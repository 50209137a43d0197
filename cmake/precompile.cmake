# Precompiled headers. The compiler spends most of its time on headers of the C++ library, GStreamer and GoogleTest.
# Every file still includes what it uses: SIGHTGLASS_PRECOMPILE=OFF builds the same.
include(${CMAKE_CURRENT_LIST_DIR}/targets.cmake)
option(SIGHTGLASS_PRECOMPILE "Precompile the headers of the C++ library, GStreamer and GoogleTest" ON)

set(sightglass_standard_headers
  <algorithm> <array> <cmath> <cstddef> <cstdint> <cstdio> <cstring> <functional> <limits> <map> <memory> <mutex> <optional>
  <span> <string> <string_view> <utility> <vector>)
set(sightglass_gstreamer_headers <gst/gl/gl.h> <gst/gst.h> <gst/video/video.h>)

# Compiles the targets below this call in the current directory in a third of the time. The code is slightly slower: not
# for targets that process pixels on the CPU.
macro(sightglass_compile_quickly)
  add_compile_options($<$<CONFIG:RelWithDebInfo>:-Og>)
endmacro()

# sightglass_precompile(TARGET HEADER…)
function(sightglass_precompile target)
  if(SIGHTGLASS_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# Applies precompiled HEADERS to every target in the current directory and below that links LIBRARY. Targets with their
# own precompiled headers keep them.
function(sightglass_reuse_precompiled library headers)
  if(NOT SIGHTGLASS_PRECOMPILE)
    return()
  endif()
  sightglass_targets(targets)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(linked ${target} LINK_LIBRARIES)
    get_target_property(own ${target} PRECOMPILE_HEADERS)
    get_target_property(reused ${target} PRECOMPILE_HEADERS_REUSE_FROM)
    if(type MATCHES "EXECUTABLE|STATIC_LIBRARY" AND library IN_LIST linked AND NOT own AND NOT reused
       AND NOT target STREQUAL headers)
      target_precompile_headers(${target} REUSE_FROM ${headers})
    endif()
  endforeach()
endfunction()
