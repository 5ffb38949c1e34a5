# trex_module(NAME SOURCES a.cpp ... [TESTS a_test.cpp ...] [SLOW_TESTS ...] [USES module ...]
#             [LIBRARIES target ...] [TEST_LIBRARIES target ...] [TORCH])
#
# The static library trex_NAME from this folder, and the test program NAME_test from its tests.
# USES names modules of lower levels (docs/layers.txt). TORCH marks a module that sees LibTorch:
# it shares the pre-compiled header, and is left out when TREX_WITH_TORCH is off.
function(trex_module name)
  cmake_parse_arguments(M "TORCH" "" "SOURCES;TESTS;SLOW_TESTS;USES;LIBRARIES;TEST_LIBRARIES" ${ARGN})
  if(M_TORCH AND NOT TREX_WITH_TORCH)
    return()
  endif()
  list(TRANSFORM M_USES PREPEND trex_)
  add_library(trex_${name} STATIC ${M_SOURCES})
  target_link_libraries(trex_${name} PUBLIC trex_options ${M_USES} ${M_LIBRARIES})
  if(M_TORCH)
    trex_use_torch(trex_${name})
  endif()
  if(M_TESTS)
    trex_test(${name}_test SOURCES ${M_TESTS} LABEL fast USES ${name} LIBRARIES ${M_TEST_LIBRARIES})
  endif()
  if(M_SLOW_TESTS)
    trex_test(${name}_slow_test SOURCES ${M_SLOW_TESTS} LABEL slow USES ${name}
              LIBRARIES ${M_TEST_LIBRARIES})
  endif()
endfunction()

# trex_extension_folder(NAME DIRECTORY USES module ...)
#
# Every .cpp in DIRECTORY is one self-registering entry. They are object files, carried to
# programs and tests by the interface target trex_NAME: in a static library the linker would
# leave them out, because nothing refers to them.
function(trex_extension_folder name directory)
  cmake_parse_arguments(E "" "" "USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${directory}/*.cpp")
  list(TRANSFORM E_USES PREPEND trex_)
  add_library(trex_${name}_objects OBJECT ${sources})
  target_link_libraries(trex_${name}_objects PUBLIC trex_options ${E_USES})
  add_library(trex_${name} INTERFACE)
  target_link_libraries(trex_${name} INTERFACE ${E_USES})
  target_sources(trex_${name} INTERFACE $<TARGET_OBJECTS:trex_${name}_objects>)
endfunction()

# trex_test(NAME SOURCES ... LABEL fast|slow USES module ... [LIBRARIES target ...])
#
# A GoogleTest program whose every test is a ctest entry. TREX_SOURCE_DIR names the checkout, for
# golden files; TREX_BINARY_DIR the build, for the programs under test.
function(trex_test name)
  cmake_parse_arguments(T "" "LABEL" "SOURCES;USES;LIBRARIES" ${ARGN})
  list(TRANSFORM T_USES PREPEND trex_)
  add_executable(${name} ${T_SOURCES})
  target_link_libraries(${name} PRIVATE ${T_USES} ${T_LIBRARIES} GTest::gmock_main)
  target_compile_definitions(${name} PRIVATE
    TREX_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TREX_BINARY_DIR="${PROJECT_BINARY_DIR}")
  trex_reuse_torch_header(${name})
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS ${T_LABEL} TIMEOUT 900)
endfunction()
