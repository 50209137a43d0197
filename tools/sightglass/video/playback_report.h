// What a running job reports: text and a progress line on standard error, or JSON lines on standard output.
#pragma once

#include <cstdint>
#include <string>

#include "common/progress.h"

namespace sightglass::video {

struct PlaybackResult {
  uint64_t frames = 0;
  double seconds = 0;                           // from the first frame to the last
  double model_ms = 0, gpu_ms = 0, cpu_ms = 0;  // per frame; 0: unknown
  double start_ms = 0;                          // compiling and uploading the model
  int width = 0, height = 0;
  bool stopped = false;    // by a key, a signal, or a time limit
  std::string incomplete;  // why the output, which is kept, has less than the input should have; empty: it has all

  double rate() const { return seconds > 0 ? static_cast<double>(frames - 1) / seconds : 0; }
};

struct PlaybackProgress {
  uint64_t frames = 0;
  double seconds = 0;   // since the first frame
  double rate = 0;      // frames per second
  double position = 0;  // in the input, in seconds
  double duration = 0;  // of the input, or until the time limit, in seconds; 0: unknown
};

enum class ReportStyle { kText, kJson };

class PlaybackReport {
 public:
  explicit PlaybackReport(ReportStyle style) : style_(style) {}

  // Before the first frame, which may take seconds while shader programs compile.
  void starting(const std::string& pipeline);
  void progress(const PlaybackProgress& progress);
  // Something that users should see, such as a lost camera or a pressed key. `event` is its name in JSON.
  void note(const char* event, const std::string& text);
  // The same without hiding secrets, for one that the user needs.
  void note_with_secret(const char* event, const std::string& text);
  // `output`: the names of written files; may be empty.
  void finished(const PlaybackResult& result, const std::string& output);

 private:
  const ReportStyle style_;
  Progress line_;
};

}  // namespace sightglass::video
