// The main function of test programs. It repeats failures at the end, because reports of continuous integration often
// show only the last lines.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

class FailuresAtTheEnd : public testing::EmptyTestEventListener {
 public:
  void OnTestStart(const testing::TestInfo& test) override {
    test_ = std::string(test.test_suite_name()) + "." + test.name();
  }
  void OnTestEnd(const testing::TestInfo& /*test*/) override { test_ = "outside of tests"; }
  // GoogleTest holds its lock here, so its functions must not be called.
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    const std::string file = result.file_name() != nullptr ? result.file_name() : "";
    // If there are many failures, the first ones matter.
    if (failures_.size() == kMost) return;
    failures_.push_back(test_ + "\n" + file + ":" + std::to_string(result.line_number()) + "\n" +
                        std::string(result.message()).substr(0, kMostCharacters));
  }
  void OnTestProgramEnd(const testing::UnitTest& /*program*/) override {
    if (failures_.empty()) return;
    std::printf("\nThe first failures again:\n");
    for (const std::string& failure : failures_) std::printf("%s\n\n", failure.c_str());
    std::fflush(stdout);
  }

 private:
  static constexpr size_t kMost = 8, kMostCharacters = 1200;
  std::string test_ = "outside of tests";
  std::vector<std::string> failures_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::UnitTest::GetInstance()->listeners().Append(new FailuresAtTheEnd);
  return RUN_ALL_TESTS();
}
