// Runs the `sightglass` command, with a directory for its files.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "harness/program.h"
#include "harness/scratch_folder.h"

namespace sightglass::test {

// The command as a word of a shell.
inline const std::string kSightglass = quoted(SIGHTGLASS_COMMAND);

inline CommandResult run_command(const std::string& arguments, const std::string& redirect = "2>&1") {
  return run_program(kSightglass + " " + arguments + " " + redirect);
}

class CommandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_);
    ::setenv("XDG_CACHE_HOME", path("cache").c_str(), 1);
    ::setenv("XDG_DATA_HOME", path("data").c_str(), 1);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

 private:
  const std::filesystem::path folder_ = scratch_folder() / "command";
};

}  // namespace sightglass::test
