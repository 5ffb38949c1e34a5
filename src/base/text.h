// Small text functions used in messages and parsers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trex {

// In double quotes with escapes, cut after `max_chars` bytes with an ellipsis: safe to print.
std::string in_quotes(std::string_view text, size_t max_chars = 60);

// "a, b, c and 4 more": a list for a message, cut after `max_items`.
std::string listed(std::span<const std::string> items, size_t max_items = 8);

// The valid word with the fewest edits (transposition counts as one), if it is near enough to be
// a likely typing error: at most a third of the longer word. Ties go to the first.
std::optional<std::string> nearest_word(std::string_view got, std::span<const std::string> valid);

std::vector<std::string> split(std::string_view text, char separator);
std::string_view trimmed(std::string_view text);
std::string joined(std::span<const std::string> items, std::string_view separator);
std::string lower_case(std::string_view text);  // ASCII only

// A whole number or a real number that is all of `text`; nothing otherwise. No locale.
std::optional<int64_t> parse_integer(std::string_view text);
std::optional<double> parse_real(std::string_view text);

// The shortest decimal text that reads back as the same double: "0.1", "3", "1e-06".
std::string shortest(double value);

// "1.5 GiB", "340 B"; "4d01h", "1h02m", "12.3s", "850ms": for people, not for machines.
std::string readable_bytes(double bytes);
std::string readable_duration(double seconds);

}  // namespace trex
