// Errors as values, each with a message for people. No function that returns a Status or a Result throws: exceptions
// thrown within, such as when memory runs out, become failures. Functions that return neither, and allocate or copy
// something, may throw std::bad_alloc.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace sightglass {

enum class ErrorCode {
  kOk,
  kInvalidArgument,    // the caller passed an unusable value
  kNotFound,           // a file or device does not exist
  kInvalidModel,       // a model file is damaged or contradicts itself
  kUnsupported,        // a valid request that this engine or this device cannot satisfy
  kResourceExhausted,  // out of GPU memory, or beyond a limit of the device or the options
  kDeviceError,        // the GL driver reported a failure
  kInternal,           // a broken invariant of the engine
  kOutOfMemory,        // out of process memory
  kTimedOut,           // a run took longer than its limit
};

// Success, or a code with a message that names the file, operator, tensor or device, and a fix.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == ErrorCode::kOk; }
  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }

  // The same failure with context: "context: message".
  Status with_context(const std::string& context) const {
    return ok() ? *this : Status(code_, context + ": " + message_);
  }

 private:
  ErrorCode code_ = ErrorCode::kOk;
  std::string message_;
};

inline Status invalid_argument(std::string m) { return {ErrorCode::kInvalidArgument, std::move(m)}; }
inline Status not_found(std::string m) { return {ErrorCode::kNotFound, std::move(m)}; }
inline Status invalid_model(std::string m) { return {ErrorCode::kInvalidModel, std::move(m)}; }
inline Status unsupported(std::string m) { return {ErrorCode::kUnsupported, std::move(m)}; }
inline Status resource_exhausted(std::string m) { return {ErrorCode::kResourceExhausted, std::move(m)}; }
inline Status device_error(std::string m) { return {ErrorCode::kDeviceError, std::move(m)}; }
inline Status timed_out(std::string m) { return {ErrorCode::kTimedOut, std::move(m)}; }
inline Status internal_error(std::string m) { return {ErrorCode::kInternal, std::move(m)}; }

// A value, or the Status that explains its absence.
template <typename T>
class [[nodiscard]] Result {
  template <typename U>
  static constexpr bool kIsValue =
      !std::is_same_v<std::remove_cvref_t<U>, Result> && !std::is_same_v<std::remove_cvref_t<U>, Status>;

 public:
  // From T and what converts to it, such as a std::unique_ptr to a derived class.
  template <typename U = T, typename = std::enable_if_t<std::is_convertible_v<U, T> && kIsValue<U>>>
  Result(U&& value) : value_(std::forward<U>(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {   // NOLINT(google-explicit-constructor)
    assert(!status_.ok() && "a Result without a value needs an error");
  }

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return *std::move(value_); }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return *std::move(value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace sightglass

// Returns the failure of `expr`, if any, from the enclosing function.
#define SIGHTGLASS_RETURN_IF_ERROR(expr)                              \
  do {                                                                \
    if (::sightglass::Status sg_status_ = (expr); !sg_status_.ok()) { \
      return sg_status_;                                              \
    }                                                                 \
  } while (false)

#define SIGHTGLASS_CONCAT_INNER_(a, b) a##b
#define SIGHTGLASS_CONCAT_(a, b) SIGHTGLASS_CONCAT_INNER_(a, b)
#define SIGHTGLASS_ASSIGN_OR_RETURN_IMPL_(tmp, lhs, expr) \
  auto tmp = (expr);                                      \
  if (!tmp.ok()) return tmp.status();                     \
  lhs = std::move(tmp).value()

// SIGHTGLASS_ASSIGN_OR_RETURN(auto x, f()): x is the value, or the enclosing function returns the failure.
#define SIGHTGLASS_ASSIGN_OR_RETURN(lhs, expr) \
  SIGHTGLASS_ASSIGN_OR_RETURN_IMPL_(SIGHTGLASS_CONCAT_(sg_result_, __LINE__), lhs, expr)
