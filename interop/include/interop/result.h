// A value, or an error message that explains its absence.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace sightglass::interop {

struct Error {
  std::string message;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}              // NOLINT(google-explicit-constructor)
  Result(Error error) : error_(std::move(error.message)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return value_.has_value(); }
  const std::string& error() const { return error_; }
  T& value() & { return *value_; }
  T&& value() && { return *std::move(value_); }
  T& operator*() & { return *value_; }
  T* operator->() { return &*value_; }

 private:
  std::optional<T> value_;
  std::string error_;
};

}  // namespace sightglass::interop
