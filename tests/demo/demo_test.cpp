// The demo, started as users start it: the tests inspect its contact sheet and the display.
#include <gdk-pixbuf/gdk-pixbuf.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "harness/program.h"
#include "harness/sanitizers.h"
#include "harness/scratch_folder.h"

namespace sightglass::test {
namespace {

namespace fs = std::filesystem;

struct Unref {
  void operator()(gpointer object) const { g_object_unref(object); }
};
using Pixbuf = std::unique_ptr<GdkPixbuf, Unref>;

// Means over a rectangle of an image, in units of 8 bits.
struct Look {
  double mean = 0;
  double deviation = 0;  // of pixel brightness
  double color = 0;      // distance of pixels from gray
};

Look look_at(const GdkPixbuf* picture, int x, int y, int width, int height) {
  const int channels = gdk_pixbuf_get_n_channels(picture), stride = gdk_pixbuf_get_rowstride(picture);
  const guint8* pixels = gdk_pixbuf_read_pixels(picture);
  Look look;
  double squares = 0;
  for (int row = y; row < y + height; ++row) {
    for (int column = x; column < x + width; ++column) {
      const guint8* pixel = pixels + static_cast<ptrdiff_t>(row) * stride + static_cast<ptrdiff_t>(column) * channels;
      const double mean = (pixel[0] + pixel[1] + pixel[2]) / 3.0;
      look.mean += mean;
      squares += mean * mean;
      look.color += std::abs(pixel[0] - mean) + std::abs(pixel[1] - mean) + std::abs(pixel[2] - mean);
    }
  }
  const double count = static_cast<double>(width) * height;
  look.mean /= count;
  look.color /= 3 * count;
  look.deviation = std::sqrt(std::max(0.0, squares / count - look.mean * look.mean));
  std::printf("%dx%d at (%d,%d): mean %.1f, deviation %.1f, color %.1f\n", width, height, x, y, look.mean,
              look.deviation, look.color);
  return look;
}

// Mean difference of two rectangles of the same size in one image, in units of 8 bits.
double difference(const GdkPixbuf* picture, int x, int y0, int y1, int width, int height) {
  const int channels = gdk_pixbuf_get_n_channels(picture), stride = gdk_pixbuf_get_rowstride(picture);
  const guint8* pixels = gdk_pixbuf_read_pixels(picture);
  double sum = 0;
  for (int row = 0; row < height; ++row) {
    for (int i = x * channels; i < (x + width) * channels; ++i) {
      sum += std::abs(pixels[static_cast<ptrdiff_t>(y0 + row) * stride + i] -
                      pixels[static_cast<ptrdiff_t>(y1 + row) * stride + i]);
    }
  }
  return sum / (static_cast<double>(width) * height * channels);
}

Pixbuf load(const fs::path& path) {
  GError* error = nullptr;
  Pixbuf picture(gdk_pixbuf_new_from_file(path.c_str(), &error));
  EXPECT_EQ(error, nullptr) << error->message;
  g_clear_error(&error);
  return picture;
}

class Demo : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << kPluginIsSanitized;
    fs::create_directories(folder_);
    ::setenv("SIGHTGLASS_BUILD", SIGHTGLASS_BUILD, 1);
    // Models that were fetched on this machine must not affect the test.
    ::setenv("XDG_DATA_HOME", (folder_ / "data").c_str(), 1);
    // The demo must select GL by itself.
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "GST_GL_PLATFORM", "GST_GL_API", "GST_GL_WINDOW"}) {
      ::unsetenv(name);
    }
  }
  void TearDown() override { fs::remove_all(folder_); }

  CommandResult run(const std::string& arguments) const {
    return run_program("cd " + folder_.string() + " && " + quoted(SIGHTGLASS_DEMO) + " " + arguments + " 2>&1");
  }

  const fs::path folder_ = scratch_folder() / "demo";
};

TEST_F(Demo, NeedsNothingWithoutDisplayAndCamera) {
  if (fs::exists("/dev/video0")) GTEST_SKIP() << "this machine has a camera";
  const CommandResult printed = run("--print-pipeline");
  ASSERT_NE(printed.output.find("glfiguresrc"), std::string::npos) << printed.output;
  const CommandResult result = expect_output(run("--seconds 1"), 0, {"15 frames of 640x480"});
  EXPECT_GT(fs::file_size(folder_ / "sightglass-demo.mp4"), 10000u);

  // Four columns of 240x180, with gaps of four pixels: input, mask, result.
  const Pixbuf sheet = load(folder_ / "sightglass-demo.png");
  ASSERT_NE(sheet, nullptr);
  ASSERT_EQ(gdk_pixbuf_get_width(sheet.get()), 4 * 240 + 3 * 4);
  ASSERT_EQ(gdk_pixbuf_get_height(sheet.get()), 3 * 180 + 2 * 4);
  const Look input = look_at(sheet.get(), 0, 0, 240, 180);
  EXPECT_GT(input.deviation, 10);
  EXPECT_GT(input.color, 2);
  const Look mask = look_at(sheet.get(), 0, 184, 240, 180);
  EXPECT_EQ(mask.color, 0) << "a mask is gray";
  EXPECT_GT(mask.mean, 10) << "there is a person";
  EXPECT_LT(mask.mean, 200) << "there is a background";
  EXPECT_GT(mask.deviation, 40);
  const double changed = difference(sheet.get(), 0, 0, 368, 240, 180);
  std::printf("the result differs from the input by %.2f\n", changed);
  EXPECT_GT(changed, 1) << "the background is blurred";
  EXPECT_LT(changed, 60) << "it is the same image";
}

TEST_F(Demo, OpensAWindowOnADisplay) {
  if (run_program("xvfb-run --help 2>&1").status != 0) GTEST_SKIP() << "xvfb-run is not installed";
  // The screenshot is taken while the demo plays: its reports say so. A busy display is black for a while: such a
  // screenshot compresses to 2 kB.
  std::ofstream(folder_ / "play.sh")
      << quoted(SIGHTGLASS_DEMO) +
             " --input figures --seconds 3 --json >demo.log 2>&1 &\n"
             "demo=$!\n"
             "tries=0\n"
             "until grep -q progress demo.log || [ $((tries += 1)) -gt 600 ]; do\n"
             "  kill -0 $demo || break\n"
             "  sleep 0.1\n"
             "done\n"
             "tries=0\n"
             "until [ $((tries += 1)) -gt 60 ]; do\n"
             "  sleep 1\n"
             "  gst-launch-1.0 -q ximagesrc num-buffers=1 show-pointer=false use-damage=false !"
             " videoconvert ! pngenc ! filesink location=screen.png\n"
             "  [ $(wc -c <screen.png) -lt 10000 ] && kill -0 $demo || break\n"
             "done\n"
             "wait $demo\n";
  const CommandResult result = run_program(
      "cd " + folder_.string() + " && xvfb-run -a -s '-screen 0 800x600x24' sh -e play.sh 2>&1; cat demo.log");
  ASSERT_NE(result.output.find("\"frames\":90,\"width\":640"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("glimagesink"), std::string::npos) << result.output;
  EXPECT_FALSE(fs::exists(folder_ / "sightglass-demo.png")) << "a window writes no file";

  const Pixbuf screen = load(folder_ / "screen.png");
  ASSERT_NE(screen, nullptr);
  ASSERT_EQ(gdk_pixbuf_get_width(screen.get()), 800);
  // Without a window manager, the window is in the corner, and everything else is black.
  const Look window = look_at(screen.get(), 0, 0, 640, 480);
  EXPECT_GT(window.mean, 10);
  EXPECT_GT(window.deviation, 10);
  EXPECT_GT(window.color, 2);
  const Look rest = look_at(screen.get(), 640, 0, 160, 480);
  EXPECT_EQ(rest.mean, 0);
}

TEST_F(Demo, PassesOptionsOn) {
  const CommandResult result = run("--input figures --model figur --seconds 1");
  EXPECT_NE(result.status, 0);
  EXPECT_NE(result.output.find("similar names: figure"), std::string::npos) << result.output;
}

}  // namespace
}  // namespace sightglass::test
