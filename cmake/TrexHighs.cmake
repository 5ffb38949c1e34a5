# trex_highs: the HiGHS shared library and C header inside the highsbox wheel.
set(highs_root "${TREX_SITE_PACKAGES}/highsbox/highs_dist")
find_path(HIGHS_INCLUDE interfaces/highs_c_api.h PATHS "${highs_root}/include/highs"
          NO_DEFAULT_PATH REQUIRED)
find_library(HIGHS_LIBRARY highs PATHS "${highs_root}/lib" NO_DEFAULT_PATH REQUIRED)

add_library(trex_highs INTERFACE)
target_include_directories(trex_highs SYSTEM INTERFACE "${HIGHS_INCLUDE}")
target_link_libraries(trex_highs INTERFACE "${HIGHS_LIBRARY}")
