#include "plan/inventory.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace trex::plan {
namespace {

class InventoryFile : public testing::Test {
 protected:
  Inventory load(const std::string& text) {
    const Path path = folder_.path() / "i.toml";
    write_file(path, text);
    return load_inventory(path, perf::Catalogue::shipped());
  }
  std::string message(const std::string& text) {
    try {
      load(text);
    } catch (const Error& error) {
      return std::string(error.what()).substr(folder_.path().string().size() + 1);
    }
    return "accepted";
  }
  TemporaryFolder folder_;
};

constexpr const char* kMachine =
    "[[machine]]\nname = \"a\"\ndevice = \"h100 sxm\"\ncount = 8\ncopies = 2\n";

TEST_F(InventoryFile, MachinesAndClassesAreRead) {
  const Inventory inventory =
      load(std::string(kMachine) +
           "[network]\ngigabytes_per_s = 25\n[[class]]\nname = \"chat\"\nmodel = \"Llama-3.1-8B\"\n"
           "mean_input = 1000\nmean_output = 200\nfirst_token_ms = 500\n");
  ASSERT_EQ(inventory.machines.size(), 2u);
  EXPECT_EQ(inventory.machines[1].name, "a-2");
  EXPECT_EQ(inventory.machines[1].device, "H100 SXM");
  EXPECT_DOUBLE_EQ(inventory.machines[0].price_usd_h, 8 * 2.25);
  EXPECT_DOUBLE_EQ(inventory.network.bytes_per_s, 25e9);
  EXPECT_DOUBLE_EQ(inventory.classes[0].lengths.decode_context, 1100);
  EXPECT_DOUBLE_EQ(*inventory.classes[0].limits.first_token_s, 0.5);
}

TEST_F(InventoryFile, AClassCanComeFromATrace) {
  const RequestClass traced = class_of_trace(
      Path(TREX_SOURCE_DIR) / "data/traces/azure_llm_2023_conv.csv.zst", "Llama-3.1-8B", "test");
  EXPECT_NEAR(traced.lengths.mean_input, 1154.7, 0.05);
  EXPECT_NEAR(traced.lengths.decode_context, 1226.98,
              0.01);  // computed by another program from the file
  EXPECT_EQ(traced.longest_tokens > 8000, true);
}

TEST_F(InventoryFile, ContradictionsAreNamed) {
  EXPECT_EQ(message("[[machine]]\nname = \"a\"\ndevice = \"H100 SXN\"\n"),
            "i.toml:1: device: expected a device of the catalogue; got \"H100 SXN\" (did you mean "
            "\"H100 SXM\"?)");
  EXPECT_EQ(message("[[machine]]\nname = \"a\"\ndevice = \"L4\"\ncount = 0\n"),
            "i.toml:1: machine[0].count: expected 1 to 1024; got 0");
  EXPECT_EQ(message("[[machine]]\nname = \"a\"\ndevice = \"L4\"\n[[machine]]\nname = \"a\"\ndevice "
                    "= \"L4\"\n"),
            "i.toml: machine: expected a name for each of its own; got \"a\" twice");
  EXPECT_EQ(message("[[machine]]\nname = \"a\"\ndevice = \"L4\"\nprice_usd_h = nan\n"),
            "i.toml:1: machine[0].price_usd_h: expected a finite number; got nan");
  EXPECT_EQ(message("[[machines]]\nname = \"a\"\n"),
            "i.toml:1: machines: expected one of machine, class, network.gigabytes_per_s, "
            "network.latency_us; got \"machines\" "
            "(did you mean \"machine\"?)");
  EXPECT_EQ(message("[network]\nlatency_us = 3\n"),
            "i.toml: machine: expected at least one [[machine]]; got none");
  EXPECT_EQ(
      message(std::string(kMachine) +
              "[[class]]\nname = \"x\"\nmodel = \"m\"\nmean_input = 5\nmean_output = "
              "5\nrequests_per_s = 1\n"
              "[[class]]\nname = \"y\"\nmodel = \"m\"\nmean_input = 5\nmean_output = 5\n"),
      "i.toml: class.requests_per_s: expected a rate for every class or for none; got 1 of 2");
  EXPECT_EQ(message(std::string(kMachine) + "[network]\ngigabytes_per_s = nan\n"),
            "i.toml:7: network.gigabytes_per_s: expected a finite number above 0; got nan");
}

}  // namespace
}  // namespace trex::plan
