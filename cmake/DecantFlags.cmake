# Compiler flags every decant target carries, as the interface target decant_flags.
#
# -ffp-contract=off is part of the numeric definition (docs/determinism.md): with it a multiply and an
# add are two roundings on every target. The baseline stays plain x86-64; wider instruction sets are
# chosen at run time (src/simd).
add_library(decant_flags INTERFACE)
target_compile_features(decant_flags INTERFACE cxx_std_23)
target_compile_options(decant_flags INTERFACE -ffp-contract=off)
target_include_directories(decant_flags INTERFACE
  $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
  $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/src>)

# g++ 12 sees overlaps that are not there in "literal" + std::string at -O3 (GCC PR 105651).
add_library(decant_warnings INTERFACE)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(decant_warnings INTERFACE -Wno-restrict)
endif()
if(DECANT_DEVELOPER)
  target_compile_options(decant_warnings INTERFACE -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Werror)
endif()

if(DECANT_SANITIZE)
  set(_san -fsanitize=${DECANT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    list(APPEND _san -fsanitize-ignorelist=${CMAKE_CURRENT_LIST_DIR}/sanitizers_ignored.txt)
  endif()
  target_compile_options(decant_flags INTERFACE ${_san})
  target_link_options(decant_flags INTERFACE ${_san})
  # Clang gives a program in C no sanitizer for C++, which the library needs.
  target_link_options(decant_flags INTERFACE $<$<LINK_LANG_AND_ID:C,Clang>:-fsanitize-link-c++-runtime>)
  target_link_libraries(decant_flags INTERFACE $<$<LINK_LANG_AND_ID:C,Clang>:stdc++>)
endif()

# Fuzzers are led by what the library does with an input, so all of it counts its branches.
if(DECANT_FUZZ)
  target_compile_options(decant_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# The tests and the program are not where time goes, and most of what a compiler works on: they take less optimisation
# than the library.
set(DECANT_OUTER_FLAGS "$<$<CONFIG:Release>:-O1>" CACHE STRING "flags of the tests and the program, after the build type's")
add_library(decant_outer INTERFACE)
target_compile_options(decant_outer INTERFACE ${DECANT_OUTER_FLAGS})
# g++ 12 takes short strings for shorter ones where <string> comes out of a precompiled header.
if(DECANT_PRECOMPILE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(decant_outer INTERFACE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()
# ccache wants a precompiled header without its time in it.
if(DECANT_PRECOMPILE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(decant_outer INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
endif()
