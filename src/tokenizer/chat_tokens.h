// The added tokens of DeepSeek-V4's prompt encoding (deepseek-v4.md 5.5, 5.6).
#pragma once

#include <string_view>

namespace trex::tokenizer {

inline constexpr std::string_view kBeginOfSentence = "<｜begin▁of▁sentence｜>";
inline constexpr std::string_view kEndOfSentence = "<｜end▁of▁sentence｜>";
inline constexpr std::string_view kPadding = "<｜▁pad▁｜>";
inline constexpr std::string_view kUser = "<｜User｜>";
inline constexpr std::string_view kAssistant = "<｜Assistant｜>";
inline constexpr std::string_view kThinkOpen = "<think>";
inline constexpr std::string_view kThinkClose = "</think>";
inline constexpr std::string_view kDsml = "｜DSML｜";
inline constexpr std::string_view kLatestReminder = "<｜latest_reminder｜>";

// Flagged special; they have the first ids.
inline constexpr std::string_view kSpecialTokens[] = {kBeginOfSentence, kEndOfSentence, kPadding};

// Ordinary added tokens; a tokenizer that we train has them last.
inline constexpr std::string_view kChatTokens[] = {kUser,          kAssistant,    kThinkOpen,
                                                   kThinkClose,    kDsml,         kLatestReminder,
                                                   "<｜action｜>", "<｜query｜>", "<｜authority｜>",
                                                   "<｜domain｜>", "<｜title｜>", "<｜read_url｜>"};

}  // namespace trex::tokenizer
