#include "tracer/copy_record.h"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace sightglass::zerocopy {

namespace {

constexpr std::array<const char*, 8> kNames = {
    "CPU map of GL memory", "CPU map of DMABUF", "upload",           "download",
    "glReadPixels etc.",    "glTexImage etc.",   "glMapBuffer etc.", "glFinish",
};

using Row = std::vector<std::string>;

// Columns are as wide as their widest cell; number columns are right-aligned.
std::string format_rows(const std::vector<Row>& rows, size_t first_number) {
  std::vector<size_t> widths(rows[0].size());
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - row[i].size(), ' ');
      if (i > 0) text += "  ";
      text += i < first_number ? row[i] + padding : padding + row[i];
    }
    text += '\n';
  }
  return text;
}

std::string per_frame(uint64_t number, uint64_t frames, int decimals) {
  if (frames == 0) return "-";
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), "%.*f", decimals, static_cast<double>(number) / static_cast<double>(frames));
  return text.data();
}

}  // namespace

const char* copy_name(Copy copy) { return kNames[static_cast<size_t>(copy)]; }

uint64_t Worker::frames() const {
  const uint64_t number = received_.load(std::memory_order_relaxed);
  return number > 0 ? number : pushed_.load(std::memory_order_relaxed);
}

uint64_t Worker::present_frame() const {
  const uint64_t number = received_.load(std::memory_order_relaxed);
  return number > 0 ? number : pushed_.load(std::memory_order_relaxed) + 1;
}

void Worker::set_rank() {
  static std::atomic<uint64_t> last{0};
  uint64_t none = 0;
  rank_.compare_exchange_strong(none, ++last);
}

CopyRecord& CopyRecord::of_process() {
  static auto* const record = new CopyRecord;
  return *record;
}

Worker* CopyRecord::worker(const std::string& name, bool is_element) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(workers_.begin(), workers_.end(), [&](const Worker& worker) {
    return worker.name == name && worker.is_element == is_element;
  });
  return found != workers_.end() ? &*found : &workers_.emplace_back(name, is_element);
}

bool CopyRecord::count(const Worker* worker, Copy copy, const std::string& thread, uint64_t bytes) {
  if (worker->is_element && worker->present_frame() <= skipped_frames_) return false;
  const std::lock_guard lock(mutex_);
  Count& count = counts_[{worker, copy, thread}];
  ++count.calls;
  count.bytes += bytes;
  return true;
}

bool CopyRecord::has_copies() const {
  const std::lock_guard lock(mutex_);
  return std::any_of(counts_.begin(), counts_.end(),
                     [](const auto& entry) { return std::get<Copy>(entry.first) != Copy::kFinish; });
}

bool CopyRecord::is_empty() const {
  const std::lock_guard lock(mutex_);
  return workers_.empty();
}

std::string CopyRecord::table(bool gl_watched) const {
  const std::lock_guard lock(mutex_);
  std::vector<Row> rows = {{"element", "what", "thread", "frames", "calls", "calls/frame", "bytes", "bytes/frame"}};
  std::map<Copy, Count> sums;
  std::string without;
  std::vector<const Worker*> workers;
  for (const Worker& worker : workers_) workers.push_back(&worker);
  // In the order in which they got their first frame; those without frames come last.
  std::stable_sort(workers.begin(), workers.end(),
                   [](const Worker* a, const Worker* b) { return a->rank() - 1 < b->rank() - 1; });
  for (const Worker* worker : workers) {
    const uint64_t frames = worker->frames();
    bool has_rows = false;
    for (const auto& [key, count] : counts_) {
      const auto& [owner, copy, thread] = key;
      if (owner != worker) continue;
      has_rows = true;
      sums[copy].calls += count.calls;
      sums[copy].bytes += count.bytes;
      rows.push_back({worker->name, copy_name(copy), thread, std::to_string(frames), std::to_string(count.calls),
                      per_frame(count.calls, frames, 2), std::to_string(count.bytes),
                      per_frame(count.bytes, frames, 0)});
    }
    if (!has_rows && frames > 0) {
      without += (without.empty() ? "" : ", ") + worker->name + " (" + std::to_string(frames) + " frames)";
    }
  }
  std::string text = "zerocopy: copies between CPU and GPU, and CPU maps of GL and DMABUF memory\n";
  if (rows.size() > 1) text += format_rows(rows, 3);
  if (!without.empty()) text += "nothing copied by: " + without + "\n";
  text += "zerocopy: ";
  if (sums.empty()) text += "nothing was copied";
  bool first = true;
  for (const auto& [copy, sum] : sums) {
    text += (first ? "" : ", ") + std::to_string(sum.calls) + " x " + copy_name(copy);
    if (sum.bytes > 0) text += " (" + std::to_string(sum.bytes) + " bytes)";
    first = false;
  }
  text += gl_watched ? "\n" : "; GL calls were not watched\n";
  return text;
}

}  // namespace sightglass::zerocopy

#define GST_USE_UNSTABLE_API
#include <gst/gst.h>
#include <gst/gsttracerrecord.h>

#include <atomic>

namespace sightglass::zerocopy {

namespace {

// Never freed: any thread may log until the process ends.
std::atomic<GstTracerRecord*> lines{nullptr};

GstStructure* field(GType type, const char* description, GstTracerValueScope scope) {
  return gst_structure_new(scope == GST_TRACER_VALUE_SCOPE_PROCESS ? "value" : "scope", "type", G_TYPE_GTYPE, type,
                           "description", G_TYPE_STRING, description, "related-to", GST_TYPE_TRACER_VALUE_SCOPE, scope,
                           nullptr);
}

}  // namespace

void open_copy_log() {
  if (lines != nullptr) return;
  GstTracerRecord* record = gst_tracer_record_new(
      "zerocopy.class",                                                                                         //
      "element", GST_TYPE_STRUCTURE, field(G_TYPE_STRING, "copying element", GST_TRACER_VALUE_SCOPE_ELEMENT),   //
      "what", GST_TYPE_STRUCTURE, field(G_TYPE_STRING, "kind of copy", GST_TRACER_VALUE_SCOPE_PROCESS),         //
      "thread", GST_TYPE_STRUCTURE, field(G_TYPE_STRING, "name of the thread", GST_TRACER_VALUE_SCOPE_THREAD),  //
      "frame", GST_TYPE_STRUCTURE, field(G_TYPE_UINT64, "of the element, from 1", GST_TRACER_VALUE_SCOPE_PROCESS),
      "bytes", GST_TYPE_STRUCTURE, field(G_TYPE_UINT64, "copied or mapped", GST_TRACER_VALUE_SCOPE_PROCESS), nullptr);
  GST_OBJECT_FLAG_SET(record, GST_OBJECT_FLAG_MAY_BE_LEAKED);
  lines = record;
}

void log_copy(const Worker& worker, Copy copy, const std::string& thread, uint64_t bytes) {
  GstTracerRecord* record = lines;
  if (record == nullptr) return;
  gst_tracer_record_log(record, worker.name.c_str(), copy_name(copy), thread.c_str(), guint64{worker.present_frame()},
                        guint64{bytes});
}

}  // namespace sightglass::zerocopy
