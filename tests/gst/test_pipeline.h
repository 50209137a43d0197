// A pipeline around the element under test, with images as input and output.
#pragma once

#include <gst/gst.h>

#include <functional>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "gl_pictures.h"

namespace sightglass::test {

// Initializes GStreamer once, with our elements registered, and GL without a window system unless the environment is
// set.
void init_gstreamer();

// Runs a pipeline that ends by itself. Returns "end", the text of the first error, or that neither arrived in a minute.
std::string outcome_of(GstElement* pipeline);

// An element of a bin, and a pad of an element, without a reference to them; null if there is none of that name.
GstElement* part_of(GstElement* bin, const char* name);
GstPad* pad_of(GstElement* element, const char* name);

// The text of an error or a warning. Takes ownership.
std::string take_text(GstMessage* message);

// The text of the oldest error or warning that was posted and not taken; empty if there is none.
std::string posted(GstElement* pipeline, GstMessageType type);

// A pipeline in the syntax of gst-launch-1.0, which stops with this object. If it is invalid, the test ends.
class Launched {
 public:
  explicit Launched(const std::string& text);
  ~Launched();
  Launched(const Launched&) = delete;
  Launched& operator=(const Launched&) = delete;

  GstElement* get() const { return pipeline_; }
  GstElement* operator[](const char* name) const { return part_of(pipeline_, name); }
  void play() const { gst_element_set_state(pipeline_, GST_STATE_PLAYING); }
  bool settles() const;  // Waits for the change of state.
  // The next sample of an appsink. If none arrives in a minute, null and a failure that has the error. The caller owns
  // it.
  GstSample* pull(const char* sink = "sink") const;
  // Plays to the end.
  std::string outcome() const {
    play();
    return outcome_of(pipeline_);
  }

 private:
  GstElement* pipeline_ = nullptr;
};

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
  // The same. If no frame arrives, the test ends, and its failure has the error and the place of the call.
  using Place = std::source_location;
  Rgba shown(const Rgba& frame, Place at = Place::current()) { return arrived(pass(frame), at); }
  Rgba shown(const std::string& caps, const std::vector<uint8_t>& bytes, Place at = Place::current()) {
    return arrived(pass(caps, bytes), at);
  }
  Rgba shown(const std::string& caps, GstBuffer* buffer, Place at = Place::current()) {
    return arrived(pass(caps, buffer), at);
  }
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
  Rgba arrived(std::optional<Rgba> picture, Place at);
  GstElement* pipeline_ = nullptr;
  GstElement* source_ = nullptr;
  GstElement* element_ = nullptr;
  GstElement* sink_ = nullptr;
  std::string caps_;  // of the last frame
  GstClockTime next_ = 0;
};

// The same, in PLAYING. If it cannot play, the test ends, and its failure has the error.
class PlayingPipeline : public TestPipeline {
 public:
  explicit PlayingPipeline(const std::string& middle, Entry entry = Entry::kUpload);
};

// Calls the function with each buffer that passes a pad of the element ("src"), until the element is freed.
void on_buffers(GstElement* element, const char* pad, std::function<void(GstBuffer*)> function);
// The same, with the buffer that passes on in its place. Takes and returns ownership.
void replace_buffers(GstElement* element, const char* pad, std::function<GstBuffer*(GstBuffer*)> function);

// Holds the last output buffer of the element under test.
class LastOutput {
 public:
  explicit LastOutput(const TestPipeline& pipeline) {
    on_buffers(pipeline.element(), "src", [this](GstBuffer* frame) { gst_buffer_replace(&buffer_, frame); });
  }
  ~LastOutput() { gst_clear_buffer(&buffer_); }
  LastOutput(const LastOutput&) = delete;
  LastOutput& operator=(const LastOutput&) = delete;

  GstBuffer* buffer() const { return buffer_; }

 private:
  GstBuffer* buffer_ = nullptr;
};

}  // namespace sightglass::test
