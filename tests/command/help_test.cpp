// Completion scripts and manual pages, in the programs that read them.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/command_case.h"

namespace sightglass::test {
namespace {

bool has_program(const std::string& name) { return run_program("command -v " + name + " >/dev/null").status == 0; }

// The suggestions of bash for the last word.
std::string suggestions(const std::string& script, const std::string& words) {
  return run_program("bash -c 'source " + script + "; COMP_WORDS=(" + words +
                     "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _sightglass; echo \"${COMPREPLY[@]}\"' 2>&1")
      .output;
}

TEST_F(CommandTest, BashCompletesCommandsOptionsWordsAndModels) {
  const CommandResult script = run_command("completion bash", "");
  ASSERT_EQ(script.status, 0);
  const std::string file = write("completion.bash", script.output);
  EXPECT_EQ(suggestions(file, "sightglass seg"), "segment\n");
  EXPECT_EQ(suggestions(file, "sightglass segment --blur"), "--blur-strength --blur-radius\n");
  EXPECT_EQ(suggestions(file, "sightglass segment --background \"\""), "blur color image transparent mask overlay\n");
  EXPECT_EQ(suggestions(file, "sightglass pose --model blazepose-det"), "blazepose-detector\n");
  EXPECT_EQ(suggestions(file, "sightglass models fet"), "fetch\n");
  EXPECT_EQ(suggestions(file, "sightglass check /dev/nul"), "/dev/null\n");
}

TEST_F(CommandTest, ZshAndFishReadTheirScripts) {
  int checked = 0;
  for (const std::string shell : {"zsh", "fish"}) {
    const CommandResult script = run_command("completion " + shell, "");
    ASSERT_EQ(script.status, 0);
    EXPECT_NE(script.output.find("blur-radius"), std::string::npos);
    if (!has_program(shell)) continue;
    const CommandResult parsed = run_program(shell + " -n " + write("completion." + shell, script.output) + " 2>&1");
    EXPECT_EQ(parsed.status, 0) << parsed.output;
    ++checked;
  }
  if (checked == 0) GTEST_SKIP() << "neither zsh nor fish is installed";
}

TEST_F(CommandTest, ManualPagesDescribeEveryOption) {
  ASSERT_EQ(run_command("manual --output " + path("")).status, 0);
  const CommandResult help = run_command("--help");
  int pages = 0;
  for (const auto& file : std::filesystem::directory_iterator(path(""))) {
    if (file.path().extension() != ".1") continue;
    ++pages;
    const std::string name = file.path().stem().string();
    if (name == "sightglass") continue;
    EXPECT_NE(help.output.find("  " + name.substr(11)), std::string::npos) << name << " is no subcommand";
  }
  std::printf("%d pages\n", pages);
  EXPECT_GE(pages, 12);
  const CommandResult page = run_command("manual segment");
  for (const char* words : {".TH SIGHTGLASS\\-SEGMENT 1", "\\fB\\-\\-blur\\-radius\\fR", "\\fBtransparent\\fR"}) {
    EXPECT_NE(page.output.find(words), std::string::npos) << words;
  }
  EXPECT_TRUE(std::all_of(page.output.begin(), page.output.end(), [](char c) { return (c & 0x80) == 0; }))
      << "formatters read ASCII";
  EXPECT_EQ(run_command("manual nothing").status, 2);
  if (!has_program("groff")) GTEST_SKIP() << "groff is not installed";
  const CommandResult formatted =
      run_program("groff -man -Tutf8 -ww " + path("sightglass-segment.1") + " 2>&1 >/dev/null");
  EXPECT_EQ(formatted.output, "");
}

}  // namespace
}  // namespace sightglass::test
