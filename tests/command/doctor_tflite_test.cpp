// How `sightglass doctor` measures TensorFlow Lite, with a stand-in for its library and for its Python modules.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "doctor/tflite_cpu.h"
#include "harness/command_case.h"
#include "harness/value_of.h"

namespace sightglass::doctor {
namespace {

using test::value_of;

class TfliteTest : public test::CommandTest {
 protected:
  // A Python module with an interpreter that takes at least `milliseconds`.
  void make_module(const std::string& file, int milliseconds) const {
    const auto folder = std::filesystem::path(path(file)).parent_path();
    std::filesystem::create_directories(folder);
    if (folder.filename() != "modules") write(std::filesystem::relative(folder, path("")) / "__init__.py", kVersion);
    write(file, std::string("import time\nclass Interpreter:\n"
                            "  def __init__(self, model_path, num_threads):\n"
                            "    assert model_path == '/models/good.tflite' and num_threads == 3, model_path\n"
                            "    self.ready = False\n"
                            "  def allocate_tensors(self): self.ready = True\n"
                            "  def get_input_details(self): return []\n"
                            "  def invoke(self):\n"
                            "    assert self.ready\n"
                            "    time.sleep(") +
                    std::to_string(milliseconds) + " / 1000)\n");
  }
  void SetUp() override {
    CommandTest::SetUp();
    std::filesystem::create_directories(path("modules"));
    ::setenv("PYTHONPATH", path("modules").c_str(), 1);
    if (const char* variable = std::getenv("PATH")) search_path_ = variable;
  }
  void TearDown() override {
    ::unsetenv("PYTHONPATH");
    ::setenv("PATH", search_path_.c_str(), 1);
    CommandTest::TearDown();
  }

  static constexpr const char* kVersion = "__version__ = '1.2.3'\n";
  std::string search_path_;
};

TEST_F(TfliteTest, TheLibraryIsMeasured) {
  const auto time = value_of(measure_with_library("/models/good.tflite", 3));
  EXPECT_EQ(time.runtime, "libtensorflowlite_c.so 2.99");
  EXPECT_EQ(time.threads, 3);
  EXPECT_GE(time.median, 4);
  EXPECT_LT(time.median, 1000);
}

TEST_F(TfliteTest, FailuresOfTheLibraryAreReported) {
  const auto unreadable = measure_with_library("/models/other.tflite", 3);
  ASSERT_FALSE(unreadable.ok());
  EXPECT_EQ(unreadable.status().message(), "TensorFlow Lite cannot read the model");
  for (const char* model : {"/models/unready.tflite", "/models/failing.tflite"}) {
    const auto time = measure_with_library(model, 3);
    ASSERT_FALSE(time.ok()) << model;
    EXPECT_EQ(time.status().message(), "TensorFlow Lite cannot run the model") << model;
  }
}

TEST_F(TfliteTest, ThePythonModuleIsMeasured) {
  make_module("modules/tflite_runtime/interpreter.py", 5);
  const auto time = value_of(measure_with_python("/models/good.tflite", 3));
  EXPECT_EQ(time.runtime, "tflite_runtime 1.2.3");
  EXPECT_GE(time.median, 5);
  EXPECT_LT(time.median, 1000);
}

TEST_F(TfliteTest, TheNewestPythonModuleIsPreferred) {
  make_module("modules/tflite_runtime/interpreter.py", 5);
  make_module("modules/ai_edge_litert/interpreter.py", 5);
  const auto time = value_of(measure_with_python("/models/good.tflite", 3));
  EXPECT_EQ(time.runtime, "ai_edge_litert 1.2.3");
}

TEST_F(TfliteTest, FailuresOfThePythonModuleAreReportedOnOneLine) {
  make_module("modules/tflite_runtime/interpreter.py", 5);
  const auto time = measure_with_python("/models/wrong.tflite", 3);
  ASSERT_FALSE(time.ok());
  EXPECT_EQ(time.status().message(), "TensorFlow Lite in Python: AssertionError: /models/wrong.tflite");
}

TEST_F(TfliteTest, WithoutPythonItIsNotInstalled) {
  ::setenv("PATH", path("modules").c_str(), 1);
  const auto time = measure_with_python("/models/good.tflite", 3);
  ASSERT_FALSE(time.ok());
  EXPECT_EQ(time.status().code(), ErrorCode::kNotFound);
  EXPECT_EQ(time.status().message(), kNotInstalled);
}

}  // namespace
}  // namespace sightglass::doctor
