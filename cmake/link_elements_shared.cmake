# Test programs with elements share one library of the engine and the elements. With a copy each, they would take ten times
# as much space.
include(${CMAKE_CURRENT_LIST_DIR}/targets.cmake)
set(sightglass_element_libraries gstsightglass_objects gstsightglasstest_objects gstsightglass_common)

# Sets RESULT to whether TARGET links the elements, also through other libraries.
function(sightglass_links_elements target result)
  set(waiting ${target})
  set(seen "")
  while(waiting)
    list(POP_FRONT waiting next)
    if(next IN_LIST seen OR NOT TARGET ${next})
      continue()
    endif()
    if(next IN_LIST sightglass_element_libraries)
      set(${result} TRUE PARENT_SCOPE)
      return()
    endif()
    list(APPEND seen ${next})
    get_target_property(links ${next} LINK_LIBRARIES)
    get_target_property(public ${next} INTERFACE_LINK_LIBRARIES)
    if(next STREQUAL target AND links)
      list(APPEND waiting ${links})
    endif()
    if(public)
      list(APPEND waiting ${public})
    endif()
  endwhile()
  set(${result} FALSE PARENT_SCOPE)
endfunction()

# Adds the shared library, and links it first in every program of the current directory and below that links the elements:
# the linker then takes nothing from the archives after it.
function(sightglass_link_elements_shared)
  set(archives gpu_engine interop sightglass_io sightglass_known_models sightglass_element_shaders gstsightglass_common
               gstsightglass_objects gstsightglasstest_objects)
  list(TRANSFORM archives REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
  add_library(tested_elements SHARED ${PROJECT_SOURCE_DIR}/tests/gst/register_elements.cpp ${objects})
  # For the libraries that these need: their own objects are there already.
  target_link_libraries(tested_elements PRIVATE ${archives} sightglass_flags)
  sightglass_targets(targets)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL EXECUTABLE)
      sightglass_links_elements(${target} links)
      if(links)
        get_target_property(libraries ${target} LINK_LIBRARIES)
        # It counts as needed before the archives that need it are read.
        set_target_properties(${target} PROPERTIES
          LINK_LIBRARIES "-Wl,--push-state,--no-as-needed;tested_elements;-Wl,--pop-state;${libraries}")
      endif()
    endif()
  endforeach()
endfunction()
