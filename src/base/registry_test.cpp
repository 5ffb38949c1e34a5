#include "base/registry.h"

#include <gmock/gmock.h>

namespace trex {
namespace {

using testing::ElementsAre;

struct Animal {
  std::string name;
  int num_legs;
};

const Animal kZebra{"zebra", 4};
TREX_REGISTER(kZebra);
const Animal kAnt{"ant", 6};
TREX_REGISTER(kAnt);
const Animal kHen{"hen", 2};
TREX_REGISTER(kHen);

// Names may be pointers to characters: what they say counts, not where they lie.
struct Plant {
  const char* name;
};

const char kMossOne[] = "moss", kMossTwo[] = "moss";
const Plant kFern{"fern"};
TREX_REGISTER(kFern);
const Plant kMoss{kMossOne};
TREX_REGISTER(kMoss);

TEST(Registry, IsSortedByNameWhateverTheOrderOfRegistration) {
  EXPECT_THAT(Registry<Animal>::instance().names(), ElementsAre("ant", "hen", "zebra"));
  EXPECT_EQ(Registry<Animal>::instance().entries()[0], &kAnt);
}

TEST(Registry, FindsByNameAndHasOneListForEachType) {
  EXPECT_EQ(Registry<Animal>::instance().find("hen"), &kHen);
  EXPECT_EQ(Registry<Animal>::instance().find("fern"), nullptr);
  EXPECT_EQ(Registry<Plant>::instance().find(std::string("fern")), &kFern);
}

TEST(RegistryDeathTest, ANameUsedTwiceStopsTheProgram) {
  EXPECT_DEATH(Registry<Animal>::instance().add({"hen", 3}), "\"hen\" is registered twice");
  EXPECT_DEATH(Registry<Plant>::instance().add({kMossTwo}), "\"moss\" is registered twice");
}

}  // namespace
}  // namespace trex
