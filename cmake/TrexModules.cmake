# trex_module(NAME SOURCES a.cpp ... [TESTS a_test.cpp ...] [SLOW_TESTS ...] [USES module ...]
#             [LIBRARIES target ...] [TEST_LIBRARIES target ...] [TORCH] [TEST_PROCESSES n])
#
# The static library trex_NAME from this folder, and the test program NAME_test from its tests.
# USES names modules of lower levels (docs/layers.txt). TORCH marks a module that sees LibTorch:
# it shares the pre-compiled header, and is left out when TREX_WITH_TORCH is off. Its fast tests run
# in TEST_PROCESSES processes (default 1), because each one pays 0.2 s for LibTorch's start.
function(trex_module name)
  cmake_parse_arguments(M "TORCH" "TEST_PROCESSES"
    "SOURCES;TESTS;SLOW_TESTS;USES;LIBRARIES;TEST_LIBRARIES" ${ARGN})
  if(M_TORCH AND NOT TREX_WITH_TORCH)
    return()
  endif()
  if(M_TORCH AND NOT M_TEST_PROCESSES)
    set(M_TEST_PROCESSES 1)
  endif()
  list(TRANSFORM M_USES PREPEND trex_)
  add_library(trex_${name} STATIC ${M_SOURCES})
  target_link_libraries(trex_${name} PUBLIC trex_options ${M_USES} ${M_LIBRARIES})
  if(M_TORCH)
    trex_use_torch(trex_${name})
  endif()
  if(M_TESTS)
    trex_test(${name}_test SOURCES ${M_TESTS} LABEL fast USES ${name} LIBRARIES ${M_TEST_LIBRARIES}
              PROCESSES ${M_TEST_PROCESSES})
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

# trex_test(NAME SOURCES ... LABEL fast|slow USES module ... [LIBRARIES target ...] [PROCESSES n])
#
# A GoogleTest program whose every test is a ctest entry; or, with PROCESSES, one whose tests are
# spread over the entries NAME.1 to NAME.n, for programs that are slow to start or whose tests share
# what is dear to make. TREX_SOURCE_DIR names the checkout, for golden files; TREX_BINARY_DIR the
# build, for the programs under test.
function(trex_test name)
  cmake_parse_arguments(T "" "LABEL;PROCESSES" "SOURCES;USES;LIBRARIES" ${ARGN})
  list(TRANSFORM T_USES PREPEND trex_)
  add_executable(${name} ${T_SOURCES})
  target_link_libraries(${name} PRIVATE ${T_USES} ${T_LIBRARIES} GTest::gmock_main)
  target_compile_definitions(${name} PRIVATE
    TREX_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TREX_BINARY_DIR="${PROJECT_BINARY_DIR}")
  trex_reuse_torch_header(${name})
  if(NOT T_PROCESSES)
    gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
      PROPERTIES LABELS ${T_LABEL} TIMEOUT 900)
    return()
  endif()
  foreach(number RANGE 1 ${T_PROCESSES})
    math(EXPR index "${number} - 1")
    add_test(NAME ${name}.${number} COMMAND ${name})
    # They are the longest entries: the cost makes ctest begin with them.
    set_tests_properties(${name}.${number} PROPERTIES LABELS ${T_LABEL} TIMEOUT 900 COST 1000
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${T_PROCESSES};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()
