// The example programs in C and Python compute the same mask as the C++ API.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "harness/gl_test.h"
#include "harness/program.h"
#include "harness/scratch_folder.h"
#include "sightglass/model.h"
#include "sightglass/plan.h"
#include "sightglass/session.h"

namespace sightglass::test {
namespace {

constexpr int kWidth = 120, kHeight = 160;

// A body-like shape on a gradient: the mask is neither empty nor full.
std::vector<uint8_t> rgb_picture() {
  std::vector<uint8_t> rgb;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const double head = std::hypot(x - 60, y - 50), body = std::hypot((x - 60) / 1.2, (y - 150) / 2.0);
      if (head < 26) {
        rgb.insert(rgb.end(), {214, 168, 140});
      } else if (body < 38) {
        rgb.insert(rgb.end(), {40, 60, 130});
      } else {
        rgb.insert(rgb.end(), {static_cast<uint8_t>(90 + y / 2), static_cast<uint8_t>(120 + x / 2), 110});
      }
    }
  }
  return rgb;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Fails, with the figures, unless both are the same file and the mask is neither empty nor full.
void expect_same_mask(const std::string& actual, const std::string& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  size_t different = 0, foreground = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    different += actual[i] != expected[i] ? 1 : 0;
    foreground += static_cast<uint8_t>(expected[i]) >= 128 ? 1 : 0;
  }
  EXPECT_EQ(different, 0U) << "of " << expected.size() << " bytes; foreground " << foreground;
  EXPECT_GT(foreground, expected.size() / 50);
  EXPECT_LT(foreground, expected.size() / 2);
}

class CExamplesTest : public GlTest {
 protected:
  void SetUp() override {
    GlTest::SetUp();
    std::ofstream file(image_, std::ios::binary);
    const std::vector<uint8_t> rgb = rgb_picture();
    file << "P6 " << kWidth << ' ' << kHeight << " 255\n";
    file.write(reinterpret_cast<const char*>(rgb.data()), static_cast<std::streamsize>(rgb.size()));
  }

  // The mask as the examples write it, computed with the C++ API.
  std::string expected_mask() const {
    PlanOptions options;
    options.inputs.resize(1);
    options.inputs[0].source = InputSpec::Source::kTexture;
    options.outputs.resize(1);
    options.outputs[0].target = OutputSpec::Target::kTexture;
    options.outputs[0].conversion = OutputSpec::Conversion::kProbability;
    options.outputs[0].format = TextureFormat::kRgba8;
    const auto model = Model::load(SIGHTGLASS_MODEL);
    const auto plan = Plan::build(*model, device().limits, options);
    const auto session = Session::create(gl(), *plan);
    GLuint texture = 0;
    gl().GenTextures(1, &texture);
    gl().BindTexture(GL_TEXTURE_2D, texture);
    gl().TexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, kWidth, kHeight);
    std::vector<uint8_t> rgba;
    const std::vector<uint8_t> rgb = rgb_picture();
    for (size_t i = 0; i < rgb.size(); i += 3) rgba.insert(rgba.end(), {rgb[i], rgb[i + 1], rgb[i + 2], 255});
    gl().TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, kWidth, kHeight, GL_RGBA, GL_UNSIGNED_BYTE, rgba.data());
    gl().BindTexture(GL_TEXTURE_2D, 0);
    EXPECT_TRUE((*session)->set_input_texture(0, {texture, GL_TEXTURE_2D, kWidth, kHeight}).ok());
    EXPECT_TRUE((*session)->run().ok());
    const auto mask = (*session)->output_texture(0);
    GLuint framebuffer = 0;
    gl().GenFramebuffers(1, &framebuffer);
    gl().BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    gl().FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, mask->id, 0);
    std::vector<uint8_t> pixels(size_t{4} * 256 * 256);
    gl().ReadPixels(0, 0, 256, 256, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    gl().BindFramebuffer(GL_FRAMEBUFFER, 0);
    gl().DeleteFramebuffers(1, &framebuffer);
    std::string result = "P5 256 256 255\n";
    for (size_t i = 0; i < pixels.size(); i += 4) result.push_back(static_cast<char>(pixels[i]));
    gl().DeleteTextures(1, &texture);
    return result;
  }

  const std::filesystem::path image_ = scratch_folder() / "image.ppm", mask_ = scratch_folder() / "mask.pgm";
};

TEST_F(CExamplesTest, TheC11ProgramWritesTheMaskOfTheCppApi) {
  succeeded(run_program(quoted(SIGHTGLASS_C_TEXTURE) + " " + quoted(SIGHTGLASS_MODEL) + " " + image_.string() + " " +
                        mask_.string() + " 2>&1"));
  expect_same_mask(read_file(mask_), expected_mask());
}

TEST_F(CExamplesTest, TheC11ProgramReportsErrors) {
  expect_output(run_program(quoted(SIGHTGLASS_C_TEXTURE) + " none.tflite none.ppm " + mask_.string() + " 2>&1"), 1,
                {"none.tflite"});
}

TEST_F(CExamplesTest, ThePythonProgramWritesTheMaskOfTheCppApi) {
  if (std::string(SIGHTGLASS_SANITIZE) != "") GTEST_SKIP() << "Python cannot load a library with sanitizers";
  if (run_program("python3 --version").status != 0) GTEST_SKIP() << "python3 is not installed";
  succeeded(run_program("LD_LIBRARY_PATH=" + quoted(SIGHTGLASS_C_LIBRARY_FOLDER) + " python3 " +
                        quoted(SIGHTGLASS_PYTHON_ENGINE) + " " + quoted(SIGHTGLASS_MODEL) + " " + image_.string() +
                        " " + mask_.string() + " 2>&1"));
  expect_same_mask(read_file(mask_), expected_mask());
}

}  // namespace
}  // namespace sightglass::test
