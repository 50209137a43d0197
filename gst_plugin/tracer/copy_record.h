// What was copied between CPU and GPU, by element, kind and thread, and its table. Knows neither GStreamer nor GL.
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
  // Seen at GstMemory.
  kGlMap,
  kDmabufMap,
  kUpload,
  kDownload,
  // Seen at GL's entry points, by the preload library.
  kReadback,
  kPixelUpload,
  kBufferMap,
  kFinish,
};

// As tables and log lines call it.
const char* copy_name(Copy copy);

// An element, or a thread that works for none. Lives as long as its record.
class Worker {
 public:
  Worker(std::string name, bool is_element) : name(std::move(name)), is_element(is_element) {}

  // Buffers received; of those that receive none, as sources, buffers pushed.
  uint64_t frames() const;
  // The number, from 1, of the frame that is being worked on.
  uint64_t present_frame() const;

  void receive(uint64_t buffers) { add(received_, buffers); }
  void push(uint64_t buffers) { add(pushed_, buffers); }
  // Orders workers by when their first buffer came along, from 1; 0 for those that had none.
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

// All functions can be called from any thread.
class CopyRecord {
 public:
  // The process's. Never destroyed: threads may still count when the process ends.
  static CopyRecord& of_process();

  // The worker of this name, added if there is none; two elements of one name are one.
  Worker* worker(const std::string& name, bool is_element);

  // What elements do up to the end of their first `frames` frames is left out from now on. Threads have no frames.
  void skip(uint64_t frames) { skipped_frames_ = frames; }

  // False where it is left out.
  bool count(const Worker* worker, Copy copy, const std::string& thread, uint64_t bytes);

  // Whether any byte was copied or mapped. Waiting, as glFinish does, copies none.
  bool has_copies() const;

  // Whether no worker was ever met.
  bool is_empty() const;

  // Lines that end in a newline: a heading, a row for each worker, kind and thread, those without a copy, the sums.
  // `gl_watched` says whether the preload library is there.
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

}  // namespace sightglass::zerocopy
