#include "orgen/duplicates.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>

#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/text.h"
#include "orgen/lexicon.h"

namespace trex::orgen {
namespace {

constexpr size_t kShortText = 60;  // words; below it shingles are shorter and the threshold lower
constexpr size_t kBands = 16, kRowsPerBand = 8;
constexpr size_t kLongRun = 13;

bool is_word_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || (c & 0x80) != 0;
}

// Lexicon names in lower case -> "@list"; the first list that has the name counts.
const std::map<std::string, std::string, std::less<>>& name_classes() {
  static const auto classes = [] {
    std::map<std::string, std::string, std::less<>> made;
    for (const std::string& list : lexicon_lists()) {
      for (const Split split : {Split::Train, Split::Heldout}) {
        for (const std::string& name : names_of(list, split))
          made.emplace(lower_case(name), "@" + list);
      }
    }
    return made;
  }();
  return classes;
}

uint64_t mixed(uint64_t x) {  // finaliser of MurmurHash3
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

// One key a band: equal keys make two texts candidates.
std::array<uint64_t, kBands> band_keys(const std::vector<uint64_t>& shingle_hashes) {
  std::array<uint64_t, kBands> keys{};
  for (size_t band = 0; band < kBands; ++band) {
    uint64_t key = band;
    for (size_t row = 0; row < kRowsPerBand; ++row) {
      const uint64_t salt = mixed(band * kRowsPerBand + row + 1);
      uint64_t least = std::numeric_limits<uint64_t>::max();
      for (const uint64_t hash : shingle_hashes) least = std::min(least, mixed(hash ^ salt));
      key = mixed(key ^ least);
    }
    keys[band] = key;
  }
  return keys;
}

std::string question_of(const JsonLine& line) {
  const JsonObject row = line.object();
  for (const char* key : {"question", "en_question", "problem"}) {
    if (row.has(key)) return row.string(key);
  }
  throw row.error("question", "a text in question, en_question or problem", "none");
}

}  // namespace

std::string normalised_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool is_blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!is_blank) {
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  if (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ' ';
    const bool is_inner_point = (c == '.' || c == ',') && !word.empty() && i + 1 < text.size() &&
                                std::isdigit(static_cast<unsigned char>(text[i - 1])) != 0 &&
                                std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0;
    if (is_word_char(c) || is_inner_point) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  return words;
}

std::vector<std::string> masked_words(std::string_view text) {
  std::vector<std::string> words = words_of(text);
  for (std::string& word : words) {
    if (std::isdigit(static_cast<unsigned char>(word[0])) != 0) {
      word = "#";
    } else if (const auto found = name_classes().find(word); found != name_classes().end()) {
      word = found->second;
    }
  }
  return words;
}

std::vector<uint64_t> shingles(const std::vector<std::string>& words, size_t length) {
  std::vector<uint64_t> hashes;
  std::vector<uint64_t> word_hashes;
  for (const std::string& word : words) word_hashes.push_back(hash64(word));
  const size_t run = std::min(length, words.size());
  for (size_t start = 0; run > 0 && start + run <= words.size(); ++start) {
    uint64_t hash = 0;
    for (size_t i = 0; i < run; ++i) hash = mixed(hash ^ word_hashes[start + i]) + i;
    hashes.push_back(hash);
  }
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  return hashes;
}

double jaccard(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b) {
  size_t shared = 0;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) ++shared;
    const bool step_a = a[i] <= b[j], step_b = b[j] <= a[i];
    i += step_a ? 1 : 0;
    j += step_b ? 1 : 0;
  }
  const size_t all = a.size() + b.size() - shared;
  return all == 0 ? 1.0 : static_cast<double>(shared) / static_cast<double>(all);
}

bool NearDuplicates::add(std::string_view text) {
  const auto words = masked_words(text);
  const bool is_short = words.size() < kShortText;
  std::vector<uint64_t> hashes = shingles(words, is_short ? 3 : 5);
  const double threshold = is_short ? 0.7 : 0.8;
  const auto keys = band_keys(hashes);
  std::unordered_set<uint32_t> compared;
  for (size_t band = 0; band < kBands; ++band) {
    const auto found = bands_[band].find(keys[band]);
    if (found == bands_[band].end()) continue;
    for (const uint32_t other : found->second) {
      if (compared.insert(other).second && jaccard(hashes, kept_[other]) >= threshold) return true;
    }
  }
  const auto number = static_cast<uint32_t>(kept_.size());
  for (size_t band = 0; band < kBands; ++band) bands_[band][keys[band]].push_back(number);
  kept_.push_back(std::move(hashes));
  return false;
}

Contamination Contamination::read(const std::vector<Path>& files) {
  Contamination result;
  for (const Path& file : files) {
    LineReader lines(file);
    while (const auto line = lines.next()) {
      const auto words = words_of(question_of(*line));
      if (words.size() >= kLongRun) {
        for (const uint64_t run : shingles(words, kLongRun)) result.long_runs_.insert(run);
      }
      const auto number = static_cast<uint32_t>(result.sizes_.size());
      const auto hashes = shingles(words, 5);
      for (const uint64_t hash : hashes) result.questions_with_[hash].push_back(number);
      result.sizes_.push_back(hashes.size());
    }
  }
  return result;
}

bool Contamination::resembles(std::string_view text) const {
  const auto words = words_of(text);
  if (words.size() >= kLongRun) {
    for (const uint64_t run : shingles(words, kLongRun)) {
      if (long_runs_.contains(run)) return true;
    }
  }
  const auto hashes = shingles(words, 5);
  std::unordered_map<uint32_t, size_t> shared;
  for (const uint64_t hash : hashes) {
    const auto found = questions_with_.find(hash);
    if (found == questions_with_.end()) continue;
    for (const uint32_t question : found->second) ++shared[question];
  }
  return std::any_of(shared.begin(), shared.end(), [&](const auto& item) {
    const size_t all = hashes.size() + sizes_[item.first] - item.second;
    return static_cast<double>(item.second) > 0.3 * static_cast<double>(all);
  });
}

std::unordered_set<uint64_t> text_hashes(const std::vector<Path>& files) {
  std::unordered_set<uint64_t> hashes;
  for (const Path& file : files) {
    LineReader lines(file);
    while (const auto line = lines.next())
      hashes.insert(hash64(normalised_text(question_of(*line))));
  }
  return hashes;
}

}  // namespace trex::orgen
