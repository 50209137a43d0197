// Records copies between CPU and GPU by element, kind and thread, and formats them as a table. Uses neither GStreamer
// nor GL.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

namespace sightglass::zerocopy {

enum class Copy : uint8_t {
  // Observed at GstMemory.
  kGlMap,
  kDmabufMap,
  kUpload,
  kDownload,
  // Observed at GL entry points by the preload library.
  kReadback,
  kPixelUpload,
  kBufferMap,
  kFinish,
};

// Its name in tables and log lines.
const char* copy_name(Copy copy);

// An element, or a thread that does not work for an element. Lives as long as its record.
class Worker {
 public:
  Worker(std::string name, bool is_element) : name(std::move(name)), is_element(is_element) {}

  // Number of buffers received; if there are none, as for sources, buffers pushed.
  uint64_t frames() const;
  // Number of the current frame, from 1.
  uint64_t present_frame() const;

  void receive(uint64_t buffers) { add(received_, buffers); }
  void push(uint64_t buffers) { add(pushed_, buffers); }
  // Rank of the worker by the time of its first buffer, from 1; 0 without buffers.
  uint64_t rank() const { return rank_.load(std::memory_order_relaxed); }

  const std::string name;
  const bool is_element;

 private:
  void add(std::atomic<uint64_t>& number, uint64_t buffers) {
    number.fetch_add(buffers, std::memory_order_relaxed);
    if (rank() == 0) set_rank();
  }
  void set_rank();

  std::atomic<uint64_t> received_{0}, pushed_{0}, rank_{0};
};

// Any thread may call all functions.
class CopyRecord {
 public:
  // The record of the process. Never destroyed: threads may still count when the process ends.
  static CopyRecord& of_process();

  // The worker with this name, added if there is none; elements with the same name share one.
  Worker* worker(const std::string& name, bool is_element);

  // From now on, ignores copies of elements during their first `frames` frames. Threads have no frames.
  void skip(uint64_t frames) { skipped_frames_ = frames; }

  // Returns false if the copy is ignored.
  bool count(const Worker* worker, Copy copy, const std::string& thread, uint64_t bytes);

  // Whether any byte was copied or mapped. Waits, such as glFinish, copy none.
  bool has_copies() const;

  // Whether there are no workers.
  bool is_empty() const;

  // Lines that end with a newline: a heading, a row per worker, kind and thread, the workers without copies, the sums.
  // `gl_watched`: the preload library is loaded.
  std::string table(bool gl_watched) const;

 private:
  struct Count {
    uint64_t calls = 0, bytes = 0;
  };
  mutable std::mutex mutex_;
  std::deque<Worker> workers_;
  std::map<std::tuple<const Worker*, Copy, std::string>, Count> counts_;
  std::atomic<uint64_t> skipped_frames_{0};
};

// Log lines of the tracer. GST_DEBUG=GST_TRACER:7 shows them, like those of other GStreamer tracers.

// Declares the fields of the lines. Call before the first log_copy(); repeated calls have no effect.
void open_copy_log();
// Logs one line: "zerocopy, element=…, what=…, thread=…, frame=…, bytes=…;". Does nothing before open_copy_log().
void log_copy(const Worker& worker, Copy copy, const std::string& thread, uint64_t bytes);

}  // namespace sightglass::zerocopy
