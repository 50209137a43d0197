// The values of results that a test needs, and failures that it expects.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <source_location>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/words.h"
#include "sightglass/status.h"

namespace sightglass::test {

// Returns the value. Without one, the test ends, and its failure has the message and the place of the call.
template <typename T>
T value_of(Result<T> result, std::source_location at = std::source_location::current()) {
  if (!result.ok()) {
    throw std::runtime_error(std::string(at.file_name()) + ":" + std::to_string(at.line()) + ": " +
                             result.status().message());
  }
  return *std::move(result);
}

// Expects a failure with that code, if any, whose message has all `parts`.
inline void expect_failure(const Status& status, const std::vector<std::string>& parts,
                           std::optional<ErrorCode> code = {},
                           std::source_location at = std::source_location::current()) {
  const testing::ScopedTrace trace(at.file_name(), static_cast<int>(at.line()), "expect_failure()");
  EXPECT_FALSE(status.ok()) << "it succeeded";
  EXPECT_EQ(status.code(), code.value_or(status.code())) << status.message();
  expect_words(status.message(), parts, at);
}
template <typename T>
void expect_failure(const Result<T>& result, const std::vector<std::string>& parts, std::optional<ErrorCode> code = {},
                    std::source_location at = std::source_location::current()) {
  expect_failure(result.ok() ? Status() : result.status(), parts, code, at);
}

}  // namespace sightglass::test
