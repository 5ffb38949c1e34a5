#include "app/run_report.h"

#include "report/page.h"

namespace trex::app {

Path write_run_report(const Recipe& recipe, const Path& out) {
  report::Page page(recipe.title, recipe.summary);
  const Path path = out / "report.html";
  write_file(path, page.html());
  return path;
}

}  // namespace trex::app
