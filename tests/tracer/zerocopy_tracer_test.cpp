// The tracer zerocopy on pipelines of GStreamer elements and ours, run with gst-launch-1.0.
#include <gtest/gtest.h>

#include "../gst/tiny_model.h"
#include "harness/program.h"
#include "tracer_run.h"

namespace sightglass::test {
namespace {

using ZeroCopyTracer = TracedTest;

constexpr const char* kGlMap = "CPU map of GL memory";
constexpr const char* kDmabufMap = "CPU map of DMABUF";
constexpr uint64_t kFrameBytes = uint64_t{64} * 48 * 4;

// 10 frames in system memory, into GL, through GL, and out again.
const std::string kCopies =
    "videotestsrc num-buffers=10 ! video/x-raw,format=RGBA,width=64,height=48 ! glupload name=up ! glcolorconvert ! "
    "gleffects_identity ! gldownload name=down ! video/x-raw ! fakesink name=sink";

std::string segment_pipeline() {
  return "gltestsrc num-buffers=10 ! 'video/x-raw(memory:GLMemory),width=64,height=48' ! glsegment name=segment "
         "model=" +
         red_model() + " ! fakesink name=sink";
}

// Pixels rendered by GL, read by an element without GL support.
const std::string kReader =
    "gltestsrc num-buffers=10 ! 'video/x-raw(memory:GLMemory),format=RGBA,width=64,height=48' ! "
    "fakesink name=sink dump=true";

TEST_F(ZeroCopyTracer, CountsUploadsAndDownloads) {
  const TracerRun run = launch_traced("zerocopy", kCopies);
  EXPECT_EQ(run.status, 0) << run.output;
  for (const auto& [element, what] : {std::pair{"up", "upload"}, std::pair{"down", "download"}}) {
    const TracerRow row = run.row(element, what);
    EXPECT_EQ(row.frames, 10u) << run.output;
    EXPECT_EQ(row.calls, 10u) << run.output;
    EXPECT_EQ(row.bytes, 10 * kFrameBytes) << run.output;
  }
  // glupload offers its own memory to the source, which writes into it.
  EXPECT_EQ(run.row("videotestsrc0", kGlMap).calls, 10u) << run.output;
  EXPECT_EQ(run.rows.size(), 3u) << run.output;
  EXPECT_TRUE(run.says("gleffects_identity0 (10 frames)")) << run.output;
  EXPECT_TRUE(run.says("sink (10 frames)")) << run.output;
  EXPECT_NE(run.summary.find("10 x upload (122880 bytes), 10 x download (122880 bytes)"), std::string::npos);
}

TEST_F(ZeroCopyTracer, CountsUploadsOfSystemMemory) {
  const TracerRun run = launch_traced(
      "zerocopy",
      "videotestsrc num-buffers=10 ! video/x-raw,format=RGBA,width=64,height=48 ! identity drop-allocation=true ! "
      "glupload name=up ! queue name=between ! gleffects_identity ! fakesink");
  EXPECT_EQ(run.row("up", "upload").calls, 10u) << run.output;
  EXPECT_EQ(run.row("up", "upload").bytes, 10 * kFrameBytes) << run.output;
  EXPECT_EQ(run.rows.size(), 1u) << run.output;
}

TEST_F(ZeroCopyTracer, CountsEveryPlane) {
  const TracerRun run =
      launch_traced("zerocopy",
                    "videotestsrc num-buffers=10 ! video/x-raw,format=I420,width=64,height=48 ! "
                    "glupload name=up ! glcolorconvert ! 'video/x-raw(memory:GLMemory),format=RGBA' ! fakesink");
  EXPECT_EQ(run.row("up", "upload").calls, 30u) << run.output;
  EXPECT_EQ(run.row("up", "upload").bytes, uint64_t{10} * 64 * 48 * 3 / 2) << run.output;
}

TEST_F(ZeroCopyTracer, ReaderOfATextureMapsAndDownloads) {
  const TracerRun run = launch_traced("zerocopy", kReader);
  for (const char* what : {kGlMap, "download"}) {
    EXPECT_EQ(run.row("sink", what).calls, 10u) << run.output;
    EXPECT_EQ(run.row("sink", what).bytes, 10 * kFrameBytes) << run.output;
  }
  EXPECT_EQ(run.rows.size(), 2u) << run.output;
}

TEST_F(ZeroCopyTracer, SegmentCopiesNothing) {
  const TracerRun run = launch_traced("zerocopy(fail=true)", segment_pipeline());
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(run.rows.empty()) << run.output;
  EXPECT_TRUE(run.says("nothing copied by: gltestsrc0 (10 frames), capsfilter0 (10 frames), segment (10 frames), sink"))
      << run.output;
  EXPECT_EQ(run.summary, "nothing was copied; GL calls were not watched");
}

// The source is in the plugin of the tracer, the other elements are in the other plugin. Types are registered once.
TEST_F(ZeroCopyTracer, ElementsOfBothPluginsCopyNothing) {
  const std::string pipeline =
      "glfiguresrc num-buffers=10 ! 'video/x-raw(memory:GLMemory),width=64,height=48' ! glsegment name=segment model=" +
      red_model() + " attach-mask=true ! glsegment model=" + red_model() + " ! fakesink name=sink";
  const TracerRun run = launch_traced("zerocopy(fail=true)", pipeline);
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(run.rows.empty()) << run.output;
  EXPECT_TRUE(run.says("glfiguresrc0 (10 frames)")) << run.output;
  EXPECT_FALSE(run.says("CRITICAL") || run.says("WARNING")) << run.output;
}

TEST_F(ZeroCopyTracer, FailSetsTheExitStatus) {
  EXPECT_EQ(launch_traced("zerocopy(fail=true)", kCopies).status, 88);
  EXPECT_EQ(launch_traced("zerocopy(fail=false)", kCopies).status, 0);
}

TEST_F(ZeroCopyTracer, OtherFailuresKeepTheirStatus) {
  const TracerRun run = launch_traced("zerocopy(fail=true)", "videotestsrc ! identity error-after=3 ! fakesink");
  EXPECT_EQ(run.status, 1) << run.output;
}

TEST_F(ZeroCopyTracer, FirstFramesCanBeSkipped) {
  const TracerRun run = launch_traced("zerocopy(fail=true,skip=4)", kCopies);
  EXPECT_EQ(run.row("down", "download").calls, 6u) << run.output;
  EXPECT_EQ(run.row("videotestsrc0", kGlMap).calls, 6u) << run.output;
  EXPECT_EQ(run.status, 88);
  EXPECT_EQ(launch_traced("zerocopy(fail=true,skip=10)", kCopies).status, 0);
}

TEST_F(ZeroCopyTracer, WrongParametersCauseAWarning) {
  const auto warning = [](const std::string& parameters) {
    const TracerRun run = launch_traced("zerocopy(" + parameters + ")", "fakesrc num-buffers=1 ! fakesink");
    EXPECT_EQ(run.status, 0) << run.output;
    EXPECT_FALSE(run.summary.empty()) << run.output;
    return run.output;
  };
  EXPECT_NE(warning("fail=perhaps").find("fail=perhaps: not a boolean"), std::string::npos);
  EXPECT_NE(warning("skip=-3").find("skip=-3: not a number of frames"), std::string::npos);
  EXPECT_NE(warning("skip=many").find("skip=many: not a number of frames"), std::string::npos);
  EXPECT_NE(warning("fial=true").find("unknown parameter fial"), std::string::npos);
  EXPECT_NE(warning("=,=").find("ignoring invalid parameters"), std::string::npos);
  EXPECT_EQ(warning("fail=true,skip=1").find("WARNING"), std::string::npos);
}

TEST_F(ZeroCopyTracer, LogsEveryCopy) {
  const TracerRun run = launch_traced("zerocopy", kCopies, "GST_DEBUG=GST_TRACER:7 GST_DEBUG_NO_COLOR=1");
  EXPECT_TRUE(
      run.says("zerocopy, element=(string)down, what=(string)download, thread=(string)gstglcontext, "
               "frame=(guint64)10, bytes=(guint64)12288;"))
      << run.output;
}

// The work of each thread counts for the element whose task it runs.
TEST_F(ZeroCopyTracer, SeveralThreads) {
  const TracerRun run = launch_traced(
      "zerocopy",
      "gltestsrc num-buffers=10 ! 'video/x-raw(memory:GLMemory),format=RGBA,width=64,height=48' ! tee name=t "
      "t. ! queue ! gldownload name=first ! video/x-raw ! queue ! videoconvert name=reader ! video/x-raw,format=BGR ! "
      "queue ! fakesink async=false "
      "t. ! queue ! gleffects_identity ! queue ! gldownload name=second ! video/x-raw ! fakesink async=false");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(run.row("first", "download").calls, 10u) << run.output;
  EXPECT_EQ(run.row("second", "download").calls, 10u) << run.output;
  EXPECT_EQ(run.row("reader", kGlMap).calls, 10u) << run.output;
  EXPECT_EQ(run.rows.size(), 3u) << run.output;
}

TEST_F(ZeroCopyTracer, ElementsInBins) {
  const TracerRun run = launch_traced(
      "zerocopy",
      "videotestsrc num-buffers=10 ! video/x-raw,format=RGBA,width=64,height=48 ! "
      "'bin.(' name=outer 'bin.(' name=inner glupload name=up ! gleffects_identity ')' ! gldownload name=down ')' ! "
      "video/x-raw ! fakesink");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(run.row("outer/inner/up", "upload").calls, 10u) << run.output;
  EXPECT_EQ(run.row("outer/down", "download").calls, 10u) << run.output;
}

TEST_F(ZeroCopyTracer, WorksWithTheLeaksTracer) {
  const TracerRun run = launch_traced("leaks;zerocopy(fail=true)", kCopies, "GST_DEBUG=GST_TRACER:7");
  EXPECT_EQ(run.status, 88) << run.output;
  EXPECT_EQ(run.row("up", "upload").calls, 10u) << run.output;
  EXPECT_FALSE(run.says("object-alive, type-name=(string)G")) << run.output;
  EXPECT_FALSE(run.says("CRITICAL")) << run.output;
}

TEST_F(ZeroCopyTracer, ProgramsWithoutElementsPrintNothing) {
  const TracerRun run = run_traced("zerocopy(fail=true)", "gst-inspect-1.0 fakesink");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_FALSE(run.says("zerocopy:")) << run.output;
}

TEST_F(ZeroCopyTracer, GstInspectShowsIt) {
  EXPECT_TRUE(run_traced("", "gst-inspect-1.0 sightglasstest").says("zerocopy"));
  const TracerRun run = run_traced("", "gst-inspect-1.0 zerocopy");
  EXPECT_TRUE(run.says("GstZeroCopyTracer")) << run.output;
  EXPECT_FALSE(run.says("zerocopy:")) << run.output;  // newer versions create a tracer to query its properties
}

// Memory of DMABUF type, in a separate program.
TracerRun run_dmabuf(const std::string& tracers, const std::string& pipeline, const std::string& options = "") {
  return run_traced(tracers, quoted(SIGHTGLASS_DMABUF_PIPELINE) + " '" + pipeline + "' " + options);
}
const std::string kDmabufReader = "appsrc name=source ! videoconvert name=reader ! video/x-raw,format=BGR ! fakesink";
constexpr uint64_t kDmabufBytes = uint64_t{64} * 16 * 4;

TEST_F(ZeroCopyTracer, CountsMapsOfDmabufs) {
  const TracerRun run = run_dmabuf("zerocopy", kDmabufReader);
  EXPECT_EQ(run.status, 0) << run.output;
  const TracerRow row = run.row("reader", kDmabufMap);
  EXPECT_EQ(row.calls, 5u) << run.output;
  EXPECT_EQ(row.bytes, 5 * kDmabufBytes) << run.output;
  EXPECT_EQ(run.rows.size(), 1u) << run.output;
}

TEST_F(ZeroCopyTracer, UnmappedDmabufsAreNotCopies) {
  const TracerRun run = run_dmabuf("zerocopy(fail=true)", "appsrc name=source ! queue ! identity ! fakesink");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(run.rows.empty()) << run.output;
}

TEST_F(ZeroCopyTracer, MapsOutsideElementsAreShown) {
  const TracerRun run = run_dmabuf("zerocopy(fail=true)", "appsrc name=source ! fakesink", "fill");
  EXPECT_EQ(run.status, 88) << run.output;
  EXPECT_EQ(run.row("(no element)", kDmabufMap).calls, 5u) << run.output;
}

TEST_F(ZeroCopyTracer, ProgramsThatDoNotDeinitialize) {
  const TracerRun run = run_dmabuf("zerocopy(fail=true)", kDmabufReader, "stay");
  EXPECT_EQ(run.status, 88) << run.output;
  EXPECT_EQ(run.row("reader", kDmabufMap).calls, 5u) << "printed once: " << run.output;
}

}  // namespace
}  // namespace sightglass::test
