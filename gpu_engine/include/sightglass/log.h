// Reports decisions of the engine to developers: why a start is slow, why a model runs the way it does. Disabled by
// default.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace sightglass {

enum class LogLevel : uint8_t {
  kInfo,   // facts about a device or a model, once
  kDebug,  // at startup: choices, and rejected options with their reasons
  kTrace,  // every run and its steps
};

// Destination of messages. Copies share one listener, which lives as long as the last copy: plans and share groups keep
// one. The engine calls the listener on the threads of its callers, on several at a time, and with engine locks held.
// So the listener must be thread-safe, must not call the engine, and must not throw. Failures are not logged: functions
// return them as Status.
class Log {
 public:
  // A single line without a line break.
  using Write = std::function<void(LogLevel level, const std::string& message)>;
  // Whether messages of the level are of interest now. Called before each message is composed; must be fast.
  using Wants = std::function<bool(LogLevel level)>;

  Log() = default;
  // Without `wants`, all messages are of interest.
  explicit Log(Write write, Wants wants = {})
      : listener_(std::make_shared<const Listener>(Listener{std::move(write), std::move(wants)})) {}

  bool wants(LogLevel level) const {
    return listener_ != nullptr && (listener_->wants == nullptr || listener_->wants(level));
  }
  // `compose` returns the message, and is called only if it is of interest.
  template <typename Compose>
  void info(const Compose& compose) const {
    write(LogLevel::kInfo, compose);
  }
  template <typename Compose>
  void debug(const Compose& compose) const {
    write(LogLevel::kDebug, compose);
  }
  template <typename Compose>
  void trace(const Compose& compose) const {
    write(LogLevel::kTrace, compose);
  }

  // All are equal: the listener does not change results, so options that differ only in it are equal.
  bool operator==(const Log& /*other*/) const { return true; }

 private:
  struct Listener {
    Write write;
    Wants wants;
  };
  template <typename Compose>
  void write(LogLevel level, const Compose& compose) const {
    if (wants(level)) listener_->write(level, compose());
  }

  std::shared_ptr<const Listener> listener_;
};

// Measures durations for messages.
class Stopwatch {
 public:
  // Time since construction: "12.3 ms".
  std::string text() const {
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin_;
    std::string number = std::to_string(taken.count());  // six digits after the point
    number.resize(number.size() - 5);
    return number + " ms";
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace sightglass
