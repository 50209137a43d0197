// The log of a start and of a frame: in order, at the levels that GStreamer elements use, and nothing unless requested.
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "figure_truth.h"
#include "harness/scratch_folder.h"
#include "model_elements.h"
#include "test_pipeline.h"
#include "tiny_model.h"
#include "yuv_picture.h"

namespace sightglass::test {
namespace {

struct Line {
  GstDebugLevel level;
  std::string category, object, message;
};

// A part of a line, with its category.
struct Expected {
  const char* category;
  GstDebugLevel level;
  const char* text;
};

bool is_ours(const std::string& category) {
  return category.starts_with("sightglass") || category.starts_with("glsegment") || category.starts_with("glpose") ||
         category.starts_with("glinfer") || category == "gldmabufexport" || category == "glframe" ||
         category == "glfiguresrc" || category == "resultsjson";
}

// The lines of our categories, from construction to destruction.
class LogRecord {
 public:
  // In the syntax of GST_DEBUG.
  explicit LogRecord(const char* thresholds) {
    init_gstreamer();
    gst_debug_remove_log_function(gst_debug_log_default);
    gst_debug_add_log_function(add, this, nullptr);
    gst_debug_set_threshold_from_string(thresholds, TRUE);
  }
  ~LogRecord() {
    gst_debug_set_threshold_from_string("", TRUE);
    gst_debug_remove_log_function(add);
    gst_debug_add_log_function(gst_debug_log_default, nullptr, nullptr);
  }
  LogRecord(const LogRecord&) = delete;
  LogRecord& operator=(const LogRecord&) = delete;

  std::vector<Line> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    lines_.clear();
  }
  // For messages of tests.
  std::string text() const {
    std::string text;
    for (const Line& line : lines()) {
      text += std::string(gst_debug_level_get_name(line.level)) + " " + line.category + " <" + line.object + "> " +
              line.message + "\n";
    }
    return text;
  }
  bool has(const char* category, const char* part) const {
    return std::ranges::any_of(lines(), [&](const Line& line) {
      return line.category == category && line.message.find(part) != std::string::npos;
    });
  }
  // Expects all of these lines, in this order.
  void expect_in_order(const std::vector<Expected>& story) const {
    const std::vector<Line> all = lines();
    auto from = all.begin();
    for (const Expected& expected : story) {
      const auto found = std::find_if(from, all.end(), [&](const Line& line) {
        return line.category == expected.category && line.message.find(expected.text) != std::string::npos;
      });
      ASSERT_NE(found, all.end()) << expected.category << ": " << expected.text << "\nin\n" << text();
      EXPECT_EQ(found->level, expected.level) << found->message;
      EXPECT_EQ(found->object, "segment") << found->message;
      from = found + 1;
    }
  }
  void expect_no_warnings() const {
    for (const Line& line : lines()) EXPECT_GT(line.level, GST_LEVEL_WARNING) << line.message;
  }

 private:
  static void add(GstDebugCategory* category, GstDebugLevel level, const gchar* /*file*/, const gchar* /*function*/,
                  gint /*line*/, GObject* object, GstDebugMessage* message, gpointer data) {
    if (!is_ours(gst_debug_category_get_name(category))) return;
    auto* self = static_cast<LogRecord*>(data);
    const char* name = GST_IS_OBJECT(object) ? GST_OBJECT_NAME(object) : "";
    const std::lock_guard lock(self->mutex_);
    self->lines_.push_back({level, gst_debug_category_get_name(category), name, gst_debug_message_get(message)});
  }

  mutable std::mutex mutex_;
  std::vector<Line> lines_;
};

constexpr const char* kWhole = "glsegment:6,glpose:6,glinfer:6,sightglass*:5";

std::string with_cache(const std::string& name) { return " cache-dir=" + (scratch_folder() / name).string(); }

TEST(Log, DescribesAStart) {
  const LogRecord log(kWhole);
  PlayingPipeline pipeline("glsegment name=segment model=" + red_model() + with_cache("start"));
  ASSERT_TRUE(pipeline.pass(Rgba(64, 48))) << pipeline.error();
  ASSERT_TRUE(pipeline.set_state(GST_STATE_NULL, true));
  log.expect_in_order({{"glsegment", GST_LEVEL_DEBUG, "starting"},
                       {"sightglass-engine", GST_LEVEL_INFO, "imported in "},
                       {"sightglass-engine", GST_LEVEL_DEBUG, "operators: CONV_2D"},
                       {"sightglass-base", GST_LEVEL_INFO, "loaded in "},
                       {"sightglass-base", GST_LEVEL_DEBUG, "cache: "},
                       {"glsegment", GST_LEVEL_INFO, "caps: video/x-raw(memory:GLMemory)"},
                       {"sightglass-gl", GST_LEVEL_DEBUG, "pool: "},
                       {"glsegment", GST_LEVEL_DEBUG, "decided with downstream"},
                       {"sightglass-engine", GST_LEVEL_INFO, "device: "},
                       {"sightglass-engine", GST_LEVEL_INFO, "limits: "},
                       {"sightglass-engine", GST_LEVEL_DEBUG, "new share group"},
                       {"sightglass-engine", GST_LEVEL_DEBUG, "tuning: "},
                       {"sightglass-engine", GST_LEVEL_DEBUG, ": kernel "},
                       {"sightglass-engine", GST_LEVEL_DEBUG, "step 0, level 0: "},
                       {"sightglass-engine", GST_LEVEL_DEBUG, "memory: "},
                       {"sightglass-engine", GST_LEVEL_INFO, "planned in "},
                       {"sightglass-engine", GST_LEVEL_DEBUG, "program "},
                       {"sightglass-engine", GST_LEVEL_DEBUG, "shader programs compiled"},
                       {"sightglass-engine", GST_LEVEL_DEBUG, "weights: "},
                       {"sightglass-engine", GST_LEVEL_INFO, "session ready in "},
                       {"sightglass-gl", GST_LEVEL_DEBUG, "import: "},
                       {"sightglass-base", GST_LEVEL_INFO, "ready for 64x48 frames"},
                       {"glsegment", GST_LEVEL_DEBUG, "stopping"}});
  log.expect_no_warnings();
}

// Until its first frame, glupload sets the caps of RGBA frames. Nothing is compiled for them.
TEST(Log, ReportsAStartForTheFramesThatArrive) {
  const LogRecord log("glsegment:4,sightglass*:4");
  TestPipeline pipeline("glsegment name=segment model=" + red_model());
  const YuvPicture picture("NV12", 64, 48, "");
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING)) << pipeline.error();
  ASSERT_TRUE(pipeline.pass(picture.caps, picture.bytes)) << pipeline.error();
  std::vector<std::string> starts;
  for (const Line& line : log.lines()) {
    if (line.message.starts_with("ready for")) starts.push_back(line.message);
  }
  ASSERT_EQ(starts.size(), 1U) << log.text();
  EXPECT_TRUE(starts.front().starts_with("ready for 64x48 frames, two 2D textures")) << starts.front();
}

TEST(Log, DescribesAFrame) {
  LogRecord log("glsegment:7,sightglass*:7");
  PlayingPipeline pipeline("glsegment name=segment skip-static=false model=" + red_model());
  ASSERT_TRUE(pipeline.pass(Rgba(64, 48))) << pipeline.error();
  log.clear();
  ASSERT_TRUE(pipeline.pass(Rgba(64, 48))) << pipeline.error();
  log.expect_in_order({{"glsegment", GST_LEVEL_LOG, "input: buffer"},
                       {"glsegment", GST_LEVEL_LOG, "frame 1: run due"},
                       {"glsegment", GST_LEVEL_LOG, "model: runs"},
                       {"sightglass-engine", GST_LEVEL_TRACE, "issuing steps 0 to "},
                       {"sightglass-engine", GST_LEVEL_TRACE, "CONV_2D"},
                       {"glsegment", GST_LEVEL_LOG, "mask: of inference 2"},
                       {"glsegment", GST_LEVEL_LOG, "composite: "},
                       {"glsegment", GST_LEVEL_TRACE, "pass: blurring the frame"},
                       {"glsegment", GST_LEVEL_TRACE, "pass: compositing"},
                       {"glsegment", GST_LEVEL_LOG, "frame 1 issued to the GPU"},
                       {"glsegment", GST_LEVEL_LOG, "output: buffer"}});
  for (const Line& line : log.lines()) {
    if (line.message.find("latency") != std::string::npos) continue;  // follows the measured times
    EXPECT_GE(line.level, GST_LEVEL_LOG) << "with every frame: " << line.message;
  }
}

class EveryElementLogs : public EveryModelElement {};

TEST_P(EveryElementLogs, ItsWorkOnEachFrame) {
  LogRecord log(kWhole);
  PlayingPipeline pipeline(element());
  ASSERT_TRUE(pipeline.pass(Rgba(64, 48))) << pipeline.error();
  for (const char* text : {"caps: ", "input: buffer", "model: runs", "issued to the GPU", "output: buffer"}) {
    EXPECT_TRUE(log.has(GetParam(), text)) << text << "\nin\n" << log.text();
  }
}

// The categories exist and are queried, but their lines are disabled.
TEST_P(EveryElementLogs, NothingUnlessRequested) {
  for (const char* thresholds : {"", "*:2"}) {
    const LogRecord log(thresholds);
    PlayingPipeline pipeline(element());
    ASSERT_TRUE(pipeline.pass(Rgba(64, 48))) << pipeline.error();
    ASSERT_TRUE(pipeline.set_state(GST_STATE_NULL, true));
    EXPECT_EQ(log.text(), "") << "GST_DEBUG=" << thresholds;
  }
}

INSTANTIATE_TEST_SUITE_P(Log, EveryElementLogs, kModelElements, name_of_element);

}  // namespace
}  // namespace sightglass::test
