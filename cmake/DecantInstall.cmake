# cmake --install: the headers, libdecant.so, the program if it was built, and what finds them again:
# find_package(decant) gives the target decant::decant, pkg-config the module decant. All of it may be moved.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(_package ${CMAKE_INSTALL_LIBDIR}/cmake/decant)

install(TARGETS decant EXPORT decant_targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/decant DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
if(TARGET decant_cli)
  file(RELATIVE_PATH _library_from_program /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  set_target_properties(decant_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${_library_from_program}")
  install(TARGETS decant_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

install(EXPORT decant_targets NAMESPACE decant:: DESTINATION ${_package})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/decant-config.cmake.in
  ${PROJECT_BINARY_DIR}/decant-config.cmake INSTALL_DESTINATION ${_package})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/decant-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/decant-config.cmake ${PROJECT_BINARY_DIR}/decant-config-version.cmake DESTINATION ${_package})

# Paths in decant.pc start from where it lies, so that a moved tree is found too.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(DECANT_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
  set(DECANT_PC_LIBDIR ${CMAKE_INSTALL_FULL_LIBDIR})
  set(DECANT_PC_INCLUDEDIR ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
  file(RELATIVE_PATH _prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  string(REGEX REPLACE "/$" "" _prefix_from_pc "${_prefix_from_pc}")
  set(DECANT_PC_PREFIX "\${pcfiledir}/${_prefix_from_pc}")
  set(DECANT_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(DECANT_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/decant.pc.in ${PROJECT_BINARY_DIR}/decant.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/decant.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
