// The devices and models that trex knows: the shipped catalogue (data/devices/devices.json,
// data/models/models.json, built into the program) and the user's own files of the same format
// (docs/formats.md), whose entries win over shipped ones of the same name.
//
// A device entry may say `like = "H100 SXM"` and name only what differs. Throws Input for a file
// that is malformed, an unknown name (with the nearest one), or a number that cannot be.
#pragma once

#include <string>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "perf/device.h"
#include "perf/model_spec.h"

namespace trex::perf {

class Catalogue {
 public:
  static Catalogue shipped();

  // Adds the entries of a user's file of devices or models; the file's `format` says which.
  void add_file(const Path& path);

  // Case, spaces, dashes and underscores do not count in a name: "h100-sxm" finds "H100 SXM".
  const DeviceSpec& device(const std::string& name, const std::string& where) const;
  // A model of the catalogue, or a path to a Hugging Face config.json or a GGUF file.
  ModelSpec model(const std::string& name_or_path, const std::string& where) const;

  const std::vector<DeviceSpec>& devices() const { return devices_; }
  const std::vector<ModelSpec>& models() const { return models_; }

 private:
  void add_devices(const JsonObject& file);
  void add_models(const JsonObject& file);

  Json device_entries_ = Json::object();  // by name, complete, for `like`
  Json efficiency_entries_ = Json::object();
  Json all_reduce_entries_ = Json::object();
  std::vector<DeviceSpec> devices_;
  std::vector<ModelSpec> models_;
};

// One entry of a models file.
ModelSpec model_from_json(const JsonObject& entry);

}  // namespace trex::perf
