#include "base/text_table.h"

#include <gtest/gtest.h>

namespace trex {
namespace {

TextTable small() {
  TextTable table({{"count", true}, {"what"}, {"good %", true}});
  table.add({"2", "TP4", "99.8 ±0.3"});
  table.add({"16", "TP2xPP2", "7 ±1"});
  return table;
}

TEST(TextTable, ColumnsAreAsWideAsTheirContent) {
  EXPECT_EQ(small().text(0),
            "count  what        good %\n"
            "    2  TP4      99.8 ±0.3\n"
            "   16  TP2xPP2       7 ±1\n");
}

TEST(TextTable, WhatDoesNotFitStandsOnAFurtherLine) {
  EXPECT_EQ(small().text(20),
            "count  what\n"
            "         good %\n"
            "    2  TP4\n"
            "      99.8 ±0.3\n"
            "   16  TP2xPP2\n"
            "           7 ±1\n");
}

TEST(TextTable, AColumnCanBeLeftOut) {
  TextTable table = small();
  table.drop("what");
  EXPECT_EQ(table.text(0), "count     good %\n    2  99.8 ±0.3\n   16       7 ±1\n");
}

TEST(Wrapped, BreaksAtSpacesAndIndents) {
  EXPECT_EQ(wrapped("one two three four", 9, 2), "one two\n  three\n  four");
  EXPECT_EQ(wrapped("one two three four", 0, 2), "one two three four");
  EXPECT_EQ(wrapped("  ±1 ±2 ±3", 7, 4), "  ±1 ±2\n    ±3");
  EXPECT_EQ(wrapped("longerthanwidth x", 4, 1), "longerthanwidth\n x");
}

}  // namespace
}  // namespace trex
