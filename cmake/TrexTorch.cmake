# trex_torch: headers and libraries of the LibTorch inside the PyPI wheel. The wheel's own CMake
# file demands a CUDA toolkit when the wheel is a CUDA build; a CPU build of ours needs none.
if(NOT TREX_WITH_TORCH)
  function(trex_reuse_torch_header)
  endfunction()
  return()
endif()

set(torch_root "${TREX_SITE_PACKAGES}/torch")
find_path(TORCH_INCLUDE torch/headeronly/version.h PATHS "${torch_root}/include" NO_DEFAULT_PATH REQUIRED)
find_library(TORCH_CPU_LIBRARY torch_cpu PATHS "${torch_root}/lib" NO_DEFAULT_PATH REQUIRED)
find_library(TORCH_C10_LIBRARY c10 PATHS "${torch_root}/lib" NO_DEFAULT_PATH REQUIRED)

# The wheel carries headers of another fmt than the one that everything else here is linked with: a
# folder that holds nothing but the right one goes first.
find_path(TREX_FMT_INCLUDE fmt/format.h REQUIRED)
set(fmt_first "${PROJECT_BINARY_DIR}/fmt-first")
file(MAKE_DIRECTORY "${fmt_first}")
file(CREATE_LINK "${TREX_FMT_INCLUDE}/fmt" "${fmt_first}/fmt" SYMBOLIC)

add_library(trex_torch INTERFACE)
target_include_directories(trex_torch SYSTEM INTERFACE
  "${fmt_first}" "${TORCH_INCLUDE}" "${TORCH_INCLUDE}/torch/csrc/api/include")
target_link_libraries(trex_torch INTERFACE "${TORCH_CPU_LIBRARY}" "${TORCH_C10_LIBRARY}" Threads::Threads)

# One pre-compiled header for all LibTorch targets. It is not <torch/torch.h>: every unit would
# instantiate that header's pending templates again, 14 s of CPU a unit instead of 3 s. Tensors, their
# functions and autograd are all here; sources include <torch/types.h>.
add_library(trex_torch_header OBJECT "${PROJECT_SOURCE_DIR}/cmake/torch_header.cpp")
target_link_libraries(trex_torch_header PUBLIC trex_options trex_torch)
target_precompile_headers(trex_torch_header PRIVATE <torch/types.h> <torch/csrc/autograd/autograd.h>)

# Links LibTorch to a target and lets it use the shared pre-compiled header.
function(trex_use_torch target)
  target_link_libraries(${target} PUBLIC trex_torch)
  target_precompile_headers(${target} REUSE_FROM trex_torch_header)
  set_property(TARGET ${target} PROPERTY TREX_USES_TORCH TRUE)
endfunction()

# The same for a program, if one of the modules that it names uses LibTorch.
function(trex_reuse_torch_header program)
  get_target_property(libraries ${program} LINK_LIBRARIES)
  foreach(library IN LISTS libraries)
    if(TARGET ${library})
      get_target_property(uses_torch ${library} TREX_USES_TORCH)
      if(uses_torch)
        target_precompile_headers(${program} REUSE_FROM trex_torch_header)
        # CMake compiles programs with -fPIE, but a pre-compiled header demands its own -fPIC.
        set_target_properties(${program} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
        target_compile_options(${program} PRIVATE -fPIC)
        return()
      endif()
    endif()
  endforeach()
endfunction()
