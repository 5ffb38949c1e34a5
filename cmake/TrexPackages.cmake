# Everything we link against. Debian packages come from script/packages.txt, Python wheels from
# script/requirements.txt, installed into .venv by script/setup.

include(GoogleTest)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(simdjson REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(SECCOMP REQUIRED IMPORTED_TARGET libseccomp)

set(TREX_VENV "${PROJECT_SOURCE_DIR}/.venv")
if(NOT EXISTS "${TREX_VENV}/bin/python3")
  message(FATAL_ERROR "${TREX_VENV}: expected the virtual environment that script/setup makes; "
                      "found none. Run script/setup.")
endif()
file(GLOB TREX_SITE_PACKAGES "${TREX_VENV}/lib/python3*/site-packages")

include(TrexHighs)
include(TrexTorch)
