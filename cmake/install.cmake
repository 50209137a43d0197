# Installs libraries and headers for CMake (find_package(sightglass)) and for pkg-config. All paths are relative to the
# prefix: an installed tree is relocatable.
#
#   component  CMake target           pkg-config           contents
#   c          sightglass::c          sightglass           the engine as a shared library with a C API
#   engine     sightglass::gpu_engine sightglass-engine    the engine in C++; links no GL library
#   interop    sightglass::interop    sightglass-interop   EGL contexts and DMABUFs in C++
#   -          -                      sightglass-metadata  results of the elements as objects in C, for bindings
#
# Programs include <sightglass/…>, <sightglass/interop/…>, and the metadata of the elements from <sightglass/gst/…>.
include(CMakePackageConfigHelpers)

set(header_dir ${CMAKE_INSTALL_INCLUDEDIR}/sightglass)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sightglass)

set_target_properties(gpu_engine PROPERTIES OUTPUT_NAME sightglass_gpu_engine)
set_target_properties(interop PROPERTIES OUTPUT_NAME sightglass_interop)
function(install_component component target)
  install(TARGETS ${target} EXPORT sightglass-${component}-targets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT sightglass-${component}-targets NAMESPACE sightglass:: DESTINATION ${package_dir})
endfunction()
install_component(base sightglass_base)
install_component(c sightglass_c)
install_component(engine gpu_engine)
install_component(interop interop)
install(FILES capi/include/sightglass/sightglass.h ${PROJECT_BINARY_DIR}/capi/include/sightglass/version.h
        DESTINATION ${header_dir})
# The other headers of include/ are for the folders of this project.
install(DIRECTORY base/include/sightglass gpu_engine/include/sightglass interop/include/sightglass
                  gst_plugin/include/sightglass
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS sightglass RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

configure_package_config_file(cmake/sightglass-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/sightglass-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/sightglass-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sightglass-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/sightglass-config-version.cmake
        DESTINATION ${package_dir})

file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(name sightglass sightglass-engine sightglass-interop sightglass-metadata)
  configure_file(cmake/${name}.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
