#include "data/row_plan.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>

#include "base/check.h"
#include "base/rng.h"

namespace trex::data {
namespace {

// Streams of different epochs and sources do not meet: an index holds both.
Rng stream(const EpochKey& key, std::string_view purpose) {
  return Rng(key.seed, purpose, key.source << 32 | key.epoch);
}

std::vector<int64_t> shuffled_documents(size_t count, const EpochKey& key) {
  std::vector<int64_t> order(count);
  std::iota(order.begin(), order.end(), int64_t{0});
  stream(key, "data documents").shuffle(order);
  return order;
}

void shuffle_rows(std::vector<RowParts>& rows, const EpochKey& key) {
  stream(key, "data rows").shuffle(rows);
}

// Best fit decreasing of one window's documents.
void fit_window(std::span<const int64_t> documents, std::span<const int64_t> lengths,
                int64_t seq_len, std::vector<RowParts>& rows) {
  std::vector<int64_t> longest_first(documents.begin(), documents.end());
  std::stable_sort(longest_first.begin(), longest_first.end(),
                   [&](int64_t a, int64_t b) { return lengths[a] > lengths[b]; });
  std::multimap<int64_t, size_t> room;  // free tokens -> row; equal ones in order of opening
  for (const int64_t document : longest_first) {
    const int64_t length = lengths[document];
    TREX_CHECK(length <= seq_len, "a document of {} tokens in rows of {}", length, seq_len);
    const auto best = room.lower_bound(length);
    size_t row = rows.size();
    int64_t left = seq_len;
    if (best == room.end()) {
      rows.emplace_back();
    } else {
      left = best->first;
      row = best->second;
      room.erase(best);
    }
    rows[row].push_back({document, 0, length});
    room.emplace(left - length, row);
  }
}

}  // namespace

std::vector<RowParts> plan_concatenated(std::span<const int64_t> lengths, int64_t seq_len,
                                        const EpochKey& key) {
  std::vector<RowParts> rows;
  int64_t room = 0;
  for (const int64_t document : shuffled_documents(lengths.size(), key)) {
    for (int64_t begin = 0; begin < lengths[document];) {
      if (room == 0) {
        rows.emplace_back();
        room = seq_len;
      }
      const int64_t size = std::min(room, lengths[document] - begin);
      rows.back().push_back({document, begin, begin + size});
      begin += size;
      room -= size;
    }
  }
  shuffle_rows(rows, key);
  return rows;
}

std::vector<RowParts> plan_fitted(std::span<const int64_t> lengths, int64_t seq_len,
                                  const EpochKey& key) {
  const std::vector<int64_t> order = shuffled_documents(lengths.size(), key);
  std::vector<RowParts> rows;
  for (size_t begin = 0; begin < order.size(); begin += kPackingWindow) {
    const size_t size = std::min<size_t>(kPackingWindow, order.size() - begin);
    fit_window(std::span(order).subspan(begin, size), lengths, seq_len, rows);
  }
  shuffle_rows(rows, key);
  return rows;
}

}  // namespace trex::data
