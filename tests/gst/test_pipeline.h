// A pipeline around the element under test that takes and gives pictures.
#pragma once

#include <gst/gst.h>

#include <optional>
#include <string>
#include <vector>

#include "gl_pictures.h"

namespace sightglass::test {

// GStreamer with our elements registered, and GL without a window system unless the environment says otherwise. Once.
void init_gstreamer();

// How a pipeline that ends by itself does so: "end", or the first error's text, or that neither came within a minute.
std::string outcome_of(GstElement* pipeline);

// A number in the property "stats" of an element.
guint64 stat_of(GstElement* element, const char* name);

class TestPipeline {
 public:
  enum class Entry { kUpload, kDirect };

  // appsrc ! glupload ! `middle` ! gldownload ! appsink; `middle` names its element under test "segment". kDirect
  // leaves glupload out, for frames that are textures.
  explicit TestPipeline(const std::string& middle, Entry entry = Entry::kUpload);
  ~TestPipeline();
  TestPipeline(const TestPipeline&) = delete;
  TestPipeline& operator=(const TestPipeline&) = delete;

  GstElement* pipeline() const { return pipeline_; }
  GstElement* element() const { return element_; }

  // Waits for the change where `wait`; PAUSED and PLAYING complete only once a frame has come through.
  bool set_state(GstState state, bool wait = false);
  // One more frame, a thirtieth of a second after the one before; caps follow its size.
  bool push(const Rgba& frame);
  // The same for a frame of any caps, in GStreamer's default layout.
  bool push(const std::string& caps, const std::vector<uint8_t>& bytes);
  // The same for a buffer, which becomes the pipeline's. Its time is set.
  bool push(const std::string& caps, GstBuffer* buffer);
  void push_eos();
  // The next frame; nothing at the end of the stream, on an error, or after ten seconds.
  std::optional<Rgba> pull();
  // push() and pull().
  std::optional<Rgba> pass(const Rgba& frame);
  std::optional<Rgba> pass(const std::string& caps, const std::vector<uint8_t>& bytes);
  std::optional<Rgba> pass(const std::string& caps, GstBuffer* buffer);
  bool at_end() const;

  // Events that come to the element under test: a new segment from 0 on, by itself or behind a flush.
  bool send_segment();
  bool flush();

  // The first error posted so far, waiting up to `seconds` for one; empty when there is none. Later errors, which
  // other elements post as a consequence, are dropped.
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
