#include "report/assets.h"

// The assembler copies the files; their paths come from CMake.
#define TREX_EMBED(symbol, path)                                                   \
  __asm__(                                                                         \
      ".section .rodata\n"                                                         \
      ".global " #symbol                                                           \
      "_begin\n"                                                                   \
      ".global " #symbol "_end\n" #symbol "_begin: .incbin \"" path "\"\n" #symbol \
      "_end: .byte 0\n"                                                            \
      ".previous\n");                                                              \
  extern "C" const char symbol##_begin[], symbol##_end[];

TREX_EMBED(trex_chart_script, TREX_CHART_SCRIPT)
TREX_EMBED(trex_page_style, TREX_PAGE_STYLE)

namespace trex::report {

std::string_view chart_script() { return {trex_chart_script_begin, trex_chart_script_end}; }
std::string_view page_style() { return {trex_page_style_begin, trex_page_style_end}; }

}  // namespace trex::report
