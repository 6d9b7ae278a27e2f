# decant_module(NAME filter SOURCES a.cc b.cc TESTS a_test.cc ...)
#
# Adds the static library decant_<NAME> with exactly the link edges that src/LAYERS allows, and, when
# tests are on, the test program <NAME>_test from the TESTS files. Files are listed, never globbed.
file(STRINGS ${PROJECT_SOURCE_DIR}/src/LAYERS _layer_lines REGEX "^[a-z/]+:")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/LAYERS)
foreach(_line IN LISTS _layer_lines)
  string(REGEX MATCH "^([a-z/]+):(.*)$" _ "${_line}")
  set(_module ${CMAKE_MATCH_1})
  separate_arguments(_edges UNIX_COMMAND "${CMAKE_MATCH_2}")
  set(DECANT_LAYER_${_module} "${_edges}")
endforeach()

function(decant_module)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;TESTS;LIBRARIES;TEST_LIBRARIES" ${ARGN})
  if(NOT DEFINED DECANT_LAYER_${ARG_NAME})
    message(FATAL_ERROR "module ${ARG_NAME} has no line in src/LAYERS")
  endif()
  add_library(decant_${ARG_NAME} STATIC ${ARG_SOURCES})
  set_target_properties(decant_${ARG_NAME} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(decant_${ARG_NAME} PUBLIC decant_flags PRIVATE decant_warnings ${ARG_LIBRARIES})
  foreach(_edge IN LISTS DECANT_LAYER_${ARG_NAME})
    target_link_libraries(decant_${ARG_NAME} PUBLIC decant_${_edge})
  endforeach()
  if(DECANT_TESTS AND ARG_TESTS)
    decant_test(NAME ${ARG_NAME}_test SOURCES ${ARG_TESTS} LIBRARIES decant_${ARG_NAME} ${ARG_TEST_LIBRARIES})
  endif()
endfunction()

if(DECANT_TESTS AND DECANT_PRECOMPILE)
  add_library(decant_test_headers OBJECT ${CMAKE_CURRENT_LIST_DIR}/test_headers.cc)
  target_link_libraries(decant_test_headers PRIVATE decant_flags decant_outer decant_warnings GTest::gmock GTest::gtest)
  target_precompile_headers(decant_test_headers PRIVATE <algorithm> <cmath> <cstdint> <expected> <filesystem> <fstream> <functional>
    <limits> <map> <memory> <optional> <random> <set> <span> <string> <string_view> <utility> <variant> <vector>
    <gmock/gmock.h> <gtest/gtest.h>)
endif()

# decant_busy_tests(x_test.cc ...): tests whose own loops take long keep their optimisation.
function(decant_busy_tests)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -O2 SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# decant_test(NAME x SOURCES ... LIBRARIES ... [LABEL unit]): one GoogleTest program, registered case by case.
function(decant_test)
  cmake_parse_arguments(ARG "" "NAME;LABEL" "SOURCES;LIBRARIES" ${ARGN})
  if(NOT ARG_LABEL)
    set(ARG_LABEL unit)
  endif()
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  target_link_libraries(${ARG_NAME} PRIVATE ${ARG_LIBRARIES} decant_flags decant_outer decant_warnings GTest::gmock GTest::gtest_main)
  target_compile_definitions(${ARG_NAME} PRIVATE DECANT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(DECANT_PRECOMPILE)
    target_precompile_headers(${ARG_NAME} REUSE_FROM decant_test_headers)
  endif()
  gtest_discover_tests(${ARG_NAME} DISCOVERY_TIMEOUT 60 PROPERTIES LABELS ${ARG_LABEL} TIMEOUT 900)
endfunction()
