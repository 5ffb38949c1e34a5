#include "gurobi/report.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/json.h"
#include "gurobi/features.h"
#include "solve/model_json.h"

namespace trex::gurobi {
namespace {

struct Channel {
  int descriptor = -1;
  std::string secret;
};

Channel& channel() {
  static Channel the_channel;
  return the_channel;
}

Json summary(const char* event, const Core& core) {
  const Answer& answer = core.answer;
  Json line = {{"secret", channel().secret},     {"event", event},
               {"model", core.number},           {"status", answer.status},
               {"objective", nullptr},           {"columns", core.num_variables()},
               {"rows", core.num_constraints()}, {"nonzeros", core.num_nonzeros()}};
  if (answer.objective) line["objective"] = *answer.objective;
  return line;
}

// A reader that has gone away must not stop the program.
void send(const Json& line) {
  const std::string text = to_line(line) + "\n";
  for (size_t sent = 0; sent < text.size();) {
    const ssize_t count = ::write(channel().descriptor, text.data() + sent, text.size() - sent);
    if (count <= 0) return;
    sent += static_cast<size_t>(count);
  }
}

}  // namespace

void open_reports(int report_descriptor, int secret_descriptor) {
  if (channel().descriptor >= 0) return;
  if (::fcntl(report_descriptor, F_GETFD) < 0 || ::fcntl(secret_descriptor, F_GETFD) < 0) return;
  char buffer[256];
  ssize_t count;
  while ((count = ::read(secret_descriptor, buffer, sizeof buffer)) > 0) {
    channel().secret.append(buffer, static_cast<size_t>(count));
  }
  ::close(secret_descriptor);
  // Out of the way of the program's own files, and of its children.
  channel().descriptor = ::fcntl(report_descriptor, F_DUPFD_CLOEXEC, 100);
  ::close(report_descriptor);
}

void report_optimize(const Core& core) {
  if (channel().descriptor >= 0) send(summary("optimize", core));
}

void report_end(const std::optional<std::string>& name, const std::shared_ptr<Core>& core,
                const std::vector<std::string>& unsupported) {
  if (channel().descriptor < 0) return;
  Json line = core ? summary("end", *core) : Json{{"secret", channel().secret},
                                                  {"event", "end"},
                                                  {"model", nullptr},
                                                  {"status", nullptr},
                                                  {"objective", nullptr},
                                                  {"columns", nullptr},
                                                  {"rows", nullptr},
                                                  {"nonzeros", nullptr}};
  line["name"] = name ? Json(*name) : Json(nullptr);
  line["problem"] = core ? solve::to_json(core->problem()) : Json(nullptr);
  line["features"] = features().used();
  line["unsupported"] = unsupported;
  send(line);
}

}  // namespace trex::gurobi
