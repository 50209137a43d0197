// A pipeline around the element under test, with images as input and output.
#pragma once

#include <gst/gst.h>

#include <optional>
#include <string>
#include <vector>

#include "gl_pictures.h"

namespace sightglass::test {

// Initializes GStreamer once, with our elements registered, and GL without a window system unless the environment is
// set.
void init_gstreamer();

// Runs a pipeline that ends by itself. Returns "end", the text of the first error, or that neither arrived in a minute.
std::string outcome_of(GstElement* pipeline);

// A number in the property "stats" of an element.
guint64 stat_of(GstElement* element, const char* name);

class TestPipeline {
 public:
  enum class Entry { kUpload, kDirect };

  // appsrc ! glupload ! `middle` ! gldownload ! appsink. `middle` names the element under test "segment". kDirect omits
  // glupload, for frames that are textures.
  explicit TestPipeline(const std::string& middle, Entry entry = Entry::kUpload);
  ~TestPipeline();
  TestPipeline(const TestPipeline&) = delete;
  TestPipeline& operator=(const TestPipeline&) = delete;

  GstElement* pipeline() const { return pipeline_; }
  GstElement* element() const { return element_; }

  // Waits for the change if `wait` is set. PAUSED and PLAYING complete only after a frame has passed.
  bool set_state(GstState state, bool wait = false);
  // Pushes a frame, one thirtieth of a second after the previous one. The caps follow its size.
  bool push(const Rgba& frame);
  // The same for a frame of any caps, in the default layout of GStreamer.
  bool push(const std::string& caps, const std::vector<uint8_t>& bytes);
  // The same for a buffer. Takes ownership, and sets its time.
  bool push(const std::string& caps, GstBuffer* buffer);
  void push_eos();
  // Returns the next frame; nullopt at the end of the stream, on an error, or after ten seconds.
  std::optional<Rgba> pull();
  // Calls push() and pull().
  std::optional<Rgba> pass(const Rgba& frame);
  std::optional<Rgba> pass(const std::string& caps, const std::vector<uint8_t>& bytes);
  std::optional<Rgba> pass(const std::string& caps, GstBuffer* buffer);
  bool at_end() const;

  // Send a new segment from 0 on to the element under test, by itself or after a flush.
  bool send_segment();
  bool flush();

  // Returns the first error, and waits up to `seconds` for it; empty if there is none. Later errors, which other
  // elements post as a consequence, are dropped.
  std::string error(int seconds = 0);
  // The same for warnings.
  std::string warning(int seconds = 0);

 private:
  std::string message(GstMessageType type, int seconds);
  void set_caps(const std::string& caps);
  GstElement* pipeline_ = nullptr;
  GstElement* source_ = nullptr;
  GstElement* element_ = nullptr;
  GstElement* sink_ = nullptr;
  std::string caps_;  // of the last frame
  GstClockTime next_ = 0;
};

}  // namespace sightglass::test
