// The question whether to download a better model than the bundled one, and what the frames say without it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "harness/command_case.h"

namespace sightglass::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kQuestion = "Download selfie-segmenter (249 kB, license Apache-2.0)? [Y/n] ";
constexpr const char* kHint = "the bundled model was trained on rendered figures only";

class ModelChoice : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    int terminal = -1, other = -1;
    if (::openpty(&terminal, &other, nullptr, nullptr, nullptr) != 0) {
      GTEST_SKIP() << "this machine has no pseudo terminals: " << std::strerror(errno);
    }
    ::close(terminal);
    ::close(other);
    // Nothing can be downloaded, whatever the network.
    ::setenv("SIGHTGLASS_MODEL_MIRROR", "http://127.0.0.1:1", 1);
    ::setenv("no_proxy", "*", 1);
    succeeded(run_program(
        "gst-launch-1.0 -q videotestsrc num-buffers=2 ! video/x-raw,format=I420,width=64,height=48,framerate=10/1 ! "
        "y4menc ! filesink location='" +
        path("in.y4m") + "' 2>&1"));
  }
  void TearDown() override {
    ::unsetenv("SIGHTGLASS_MODEL_MIRROR");
    CommandTest::TearDown();
  }

  // What the command prints to its terminal, on which `answer` is typed if it asks. It has to end with status 0.
  std::string run_on_terminal(std::vector<std::string> words, const std::string& answer) const {
    words.insert(words.begin(), SIGHTGLASS_COMMAND);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    int terminal = -1;
    const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
    if (child == 0) {
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    ::fcntl(terminal, F_SETFL, O_NONBLOCK);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(100);
    std::string output;
    bool answered = false;
    while (std::chrono::steady_clock::now() < end) {
      char buffer[4096];
      const ssize_t bytes = ::read(terminal, buffer, sizeof(buffer));
      if (bytes > 0) output.append(buffer, static_cast<size_t>(bytes));
      if (bytes == 0 || (bytes < 0 && errno != EAGAIN)) break;  // the command has closed it
      if (!answered && output.find("[Y/n] ") != std::string::npos) {
        answered = ::write(terminal, answer.data(), answer.size()) == static_cast<ssize_t>(answer.size());
      }
      if (bytes < 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    int status = -1;
    if (std::chrono::steady_clock::now() >= end) ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
    ::close(terminal);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status << ": " << output;
    return output;
  }
  std::vector<std::string> segment(const std::string& input, std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"segment", "--no-keys", "--input", input,      "--seconds",
                                   "1",       "--size",    "64x48",   "--output", "none"};
    if (input != "figures") words.erase(words.begin() + 6, words.begin() + 8);
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

bool contains(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

TEST_F(ModelChoice, AsksOncePerUser) {
  // Enter means yes. A failed download is reported, and the bundled model runs.
  const std::string yes = run_on_terminal(segment(path("in.y4m")), "\n");
  EXPECT_TRUE(contains(yes, kQuestion)) << yes;
  EXPECT_TRUE(contains(yes, "cannot fetch selfie-segmenter from http://127.0.0.1:1/")) << yes;
  EXPECT_TRUE(contains(yes, kHint)) << yes;
  // Somebody who said yes is asked again, as the model is still missing.
  const std::string no = run_on_terminal(segment(path("in.y4m")), "n\n");
  EXPECT_TRUE(contains(no, kQuestion)) << no;
  EXPECT_FALSE(contains(no, "cannot fetch")) << no;
  EXPECT_TRUE(fs::exists(path("data/sightglass/models/declined-segment")));
  const std::string later = run_on_terminal(segment(path("in.y4m")), "");
  EXPECT_FALSE(contains(later, "[Y/n]")) << later;
  EXPECT_TRUE(contains(later, kHint)) << later;
}

TEST_F(ModelChoice, DoesNotAskWithoutNeed) {
  for (const std::string& output :
       {run_on_terminal(segment("figures"), ""), run_on_terminal(segment(path("in.y4m"), {"--model", "figure"}), ""),
        run_on_terminal(segment(path("in.y4m"), {"--json"}), ""),
        run_on_terminal(segment(path("in.y4m"), {"--print-pipeline"}), "")}) {
    EXPECT_FALSE(contains(output, "[Y/n]")) << output;
  }
  const CommandResult no_terminal =
      run_command("segment --print-pipeline --output none --input " + path("in.y4m") + " </dev/null");
  EXPECT_FALSE(contains(no_terminal.output, "[Y/n]")) << no_terminal.output;
  EXPECT_TRUE(contains(no_terminal.output, kHint)) << no_terminal.output;
}

TEST_F(ModelChoice, TheFramesSayThatTheModelIsBundled) {
  const std::string line = "segment --print-pipeline --output none --input ";
  const std::string notice =
      "notice=\"bundled model, parts of people can be missing: sightglass models fetch selfie-segmenter\"";
  const CommandResult file = run_command(line + path("in.y4m"));
  EXPECT_TRUE(contains(file.output, notice)) << file.output;
  const CommandResult pose = run_command("pose --print-pipeline --output none --input " + path("in.y4m"));
  EXPECT_TRUE(contains(pose.output, "sightglass models fetch blazepose-landmark-full blazepose-detector\""))
      << pose.output;
  const CommandResult off = run_command(line + path("in.y4m") + " --notice \"\"");
  EXPECT_TRUE(contains(off.output, "notice=\"\"")) << off.output;
  for (const std::string& other : {std::string("figures"), path("in.y4m") + " --model figure-recurrent"}) {
    const CommandResult plain = run_command(line + other);
    EXPECT_FALSE(contains(plain.output, "notice=")) << plain.output;
  }
}

}  // namespace
}  // namespace sightglass::test
