#include "report/event_file.h"

#include <fmt/format.h>

#include <bit>
#include <cerrno>

#include "base/error.h"
#include "report/crc32c.h"

namespace trex::report {
namespace {

// Field numbers of the protocol buffers Event, Summary and Summary.Value.
constexpr int kEventWallTime = 1, kEventStep = 2, kEventFileVersion = 3, kEventSummary = 5;
constexpr int kSummaryValue = 1;
constexpr int kValueTag = 1, kValueSimple = 2;

template <class Unsigned>
void put_little_endian(std::string& out, Unsigned value) {
  for (size_t i = 0; i < sizeof(value); ++i) out += static_cast<char>((value >> (8 * i)) & 0xFF);
}

void put_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7F) | 0x80);
  out += static_cast<char>(value);
}

enum WireType { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

void put_key(std::string& out, int field, WireType type) {
  put_varint(out, static_cast<uint64_t>(field) << 3 | type);
}

void put_bytes(std::string& out, int field, std::string_view bytes) {
  put_key(out, field, kBytes);
  put_varint(out, bytes.size());
  out += bytes;
}

std::string event_at(double unix_seconds) {
  std::string event;
  put_key(event, kEventWallTime, kFixed64);
  put_little_endian(event, std::bit_cast<uint64_t>(unix_seconds));
  return event;
}

std::string summary_value(std::string_view tag, double value) {
  std::string out;
  put_bytes(out, kValueTag, tag);
  put_key(out, kValueSimple, kFixed32);
  put_little_endian(out, std::bit_cast<uint32_t>(static_cast<float>(value)));
  return out;
}

size_t num_event_files(const Path& folder) {
  size_t count = 0;
  for (const Path& file : files_below(folder)) {
    count += file.filename().string().starts_with("events.out.tfevents.");
  }
  return count;
}

}  // namespace

EventFile EventFile::create(const Path& folder, double unix_seconds) {
  make_folders(folder);
  // TensorBoard reads a folder's files in the order of their names: time first, then the number.
  Path path = folder / fmt::format("events.out.tfevents.{:010d}.trex.{:04d}",
                                   static_cast<int64_t>(unix_seconds), num_event_files(folder));
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!out) throw system_error(path.string(), "a new event file", errno);
  EventFile file(std::move(path), std::move(out));
  std::string event = event_at(unix_seconds);
  put_bytes(event, kEventFileVersion, "brain.Event:2");
  file.append(event);
  return file;
}

void EventFile::scalars(int64_t step, double unix_seconds, const Metrics& values) {
  std::string summary;
  for (const auto& [tag, value] : values) {
    put_bytes(summary, kSummaryValue, summary_value(tag, value));
  }
  std::string event = event_at(unix_seconds);
  put_key(event, kEventStep, kVarint);
  put_varint(event, static_cast<uint64_t>(step));
  put_bytes(event, kEventSummary, summary);
  append(event);
}

void EventFile::append(const std::string& event) {
  std::string record;
  put_little_endian(record, static_cast<uint64_t>(event.size()));
  put_little_endian(record, masked_crc32c(record));
  record += event;
  put_little_endian(record, masked_crc32c(event));
  out_.write(record.data(), static_cast<std::streamsize>(record.size()));
  out_.flush();
  if (!out_) throw system_error(path_.string(), "room for an event", errno);
}

}  // namespace trex::report
