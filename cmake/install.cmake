# Installs libraries and headers for CMake (find_package(sightglass), targets sightglass::gpu_engine and
# sightglass::interop) and for pkg-config (sightglass). All paths are relative to the prefix: an installed tree is
# relocatable.
include(CMakePackageConfigHelpers)

set(header_dir ${CMAKE_INSTALL_INCLUDEDIR}/sightglass)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sightglass)

set_target_properties(gpu_engine PROPERTIES OUTPUT_NAME sightglass_gpu_engine)
set_target_properties(interop PROPERTIES OUTPUT_NAME sightglass_interop)
install(TARGETS gpu_engine interop EXPORT sightglass-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${header_dir})
install(FILES gst_plugin/figure/figure_meta.h gst_plugin/meta/mask_meta.h gst_plugin/meta/results_meta.h DESTINATION ${header_dir}/gst_plugin)
install(DIRECTORY gpu_engine/include/gpu_engine interop/include/interop DESTINATION ${header_dir})
install(TARGETS sightglass RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

install(EXPORT sightglass-targets NAMESPACE sightglass:: DESTINATION ${package_dir})
configure_package_config_file(cmake/sightglass-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/sightglass-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/sightglass-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sightglass-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/sightglass-config-version.cmake
        DESTINATION ${package_dir})

file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/sightglass.pc.in ${CMAKE_CURRENT_BINARY_DIR}/sightglass.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sightglass.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
