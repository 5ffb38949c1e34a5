# Language, warnings, sanitizers and build tools, carried by the interface target trex_options.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)  # the Python module is a shared library

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2")  # no -DNDEBUG: checks stay on in every build

set(TREX_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize takes them")
option(TREX_WITH_TORCH "Build trex-model and everything that needs LibTorch" ON)

add_library(trex_options INTERFACE)
target_include_directories(trex_options INTERFACE "${PROJECT_SOURCE_DIR}/src")
target_compile_options(trex_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  -Wimplicit-fallthrough -Wunused-result
  # Designated initialisers name only what differs from the defaults.
  -Wno-missing-field-initializers
  # GCC 12 sees overlaps in std::string concatenation where there are none.
  -Wno-restrict)

if(TREX_SANITIZE)
  target_compile_options(trex_options INTERFACE -fsanitize=${TREX_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(trex_options INTERFACE -fsanitize=${TREX_SANITIZE})
endif()

find_program(TREX_CCACHE ccache)
if(TREX_CCACHE)
  # Pre-compiled headers need the two sloppiness settings, or every compilation is a miss.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${TREX_CCACHE})
endif()
find_program(TREX_MOLD mold)
if(TREX_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
