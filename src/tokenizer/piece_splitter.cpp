#include "tokenizer/piece_splitter.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/error.h"
#include "base/text.h"
#include "tokenizer/recent_characters.h"

namespace trex::tokenizer {
namespace {

constexpr size_t kJitStackBytes = 8 << 20;  // grows to this; one thread's

struct FreeCode {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};
struct FreeMatch {
  void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
};
struct FreeContext {
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
};
struct FreeStack {
  void operator()(pcre2_jit_stack* stack) const { pcre2_jit_stack_free(stack); }
};

using Code = std::unique_ptr<pcre2_code, FreeCode>;

Code compile_one(const std::string& pattern, const std::string& where) {
  int error = 0;
  PCRE2_SIZE position = 0;
  Code code(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                          PCRE2_UTF | PCRE2_UCP, &error, &position, nullptr));
  if (!code) {
    PCRE2_UCHAR text[256];
    pcre2_get_error_message(error, text, sizeof text);
    throw input_error(where, "pre_tokenizer", "a regular expression that PCRE2 accepts",
                      fmt::format("{}: {} at byte {}", in_quotes(pattern),
                                  reinterpret_cast<const char*>(text), position));
  }
  pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);  // without JIT it is slow, not wrong
  return code;
}

}  // namespace

struct SplitPatterns::Codes {
  std::vector<Code> codes;
};

SplitPatterns::SplitPatterns(std::unique_ptr<Codes> codes) : codes_(std::move(codes)) {}
SplitPatterns::~SplitPatterns() = default;
SplitPatterns::SplitPatterns(SplitPatterns&&) noexcept = default;
SplitPatterns& SplitPatterns::operator=(SplitPatterns&&) noexcept = default;

SplitPatterns SplitPatterns::compile(const std::vector<std::string>& patterns,
                                     const std::string& where) {
  auto codes = std::make_unique<Codes>();
  for (const std::string& pattern : patterns) codes->codes.push_back(compile_one(pattern, where));
  return SplitPatterns(std::move(codes));
}

struct PieceSplitter::Scratch {
  std::unique_ptr<pcre2_match_data, FreeMatch> match{pcre2_match_data_create(1, nullptr)};
  std::unique_ptr<pcre2_match_context, FreeContext> context{pcre2_match_context_create(nullptr)};
  std::unique_ptr<pcre2_jit_stack, FreeStack> stack{
      pcre2_jit_stack_create(32 << 10, kJitStackBytes, nullptr)};
  std::vector<uint32_t> ends, next_ends;
  std::string stand_ins;

  // Finds the first match in `piece` at or after `from`.
  bool find(const pcre2_code* code, std::string_view piece, size_t from) {
    const int found = pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(piece.data()), piece.size(),
                                  from, PCRE2_NO_UTF_CHECK, match.get(), context.get());
    if (found == PCRE2_ERROR_NOMATCH) return false;
    if (found < 0) {
      PCRE2_UCHAR text[256];
      pcre2_get_error_message(found, text, sizeof text);
      throw Error({.kind = ErrorKind::Failed,
                   .where = "pre-tokenizer",
                   .expected = "a match within PCRE2's limits",
                   .got = reinterpret_cast<const char*>(text)});
    }
    return true;
  }

  // Cuts text[begin, end) at the matches of one pattern.
  void cut(const pcre2_code* code, std::string_view text, uint32_t begin, uint32_t end) {
    const std::string_view piece = text.substr(begin, end - begin);
    const PCRE2_SIZE* bounds = pcre2_get_ovector_pointer(match.get());
    uint32_t done = 0;
    size_t from = 0;
    while (from < piece.size() && find(code, piece, from)) {
      const auto first = static_cast<uint32_t>(bounds[0]), last = static_cast<uint32_t>(bounds[1]);
      from = last;
      if (first == last) {  // an empty match cuts nothing
        do ++from;
        while (from < piece.size() && (piece[from] & 0xC0) == 0x80);
        continue;
      }
      if (first > done) next_ends.push_back(begin + first);
      next_ends.push_back(begin + last);
      done = last;
    }
    if (done < piece.size()) next_ends.push_back(end);
  }
};

PieceSplitter::PieceSplitter(const SplitPatterns& patterns)
    : patterns_(&patterns), scratch_(std::make_unique<Scratch>()) {
  pcre2_jit_stack_assign(scratch_->context.get(), nullptr, scratch_->stack.get());
}
PieceSplitter::~PieceSplitter() = default;
PieceSplitter::PieceSplitter(PieceSplitter&&) noexcept = default;

const std::vector<uint32_t>& PieceSplitter::split(std::string_view text) {
  TREX_CHECK(text.size() <= INT32_MAX, "a text of {} bytes", text.size());
  Scratch& s = *scratch_;
  s.ends.clear();
  if (text.empty()) return s.ends;
  if (replace_recent_characters(text, s.stand_ins)) text = s.stand_ins;
  s.ends.push_back(static_cast<uint32_t>(text.size()));
  for (const Code& code : patterns_->codes_->codes) {
    s.next_ends.clear();
    uint32_t begin = 0;
    for (const uint32_t end : s.ends) {
      s.cut(code.get(), text, begin, end);
      begin = end;
    }
    std::swap(s.ends, s.next_ends);
  }
  return s.ends;
}

}  // namespace trex::tokenizer
