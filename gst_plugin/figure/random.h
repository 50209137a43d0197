// Reproducible choices: each depends on a seed, a stream, and the number of earlier choices.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>

namespace sightglass::figure {

// Independent streams: a new choice in one part of the scene does not change the others.
enum class Stream : uint32_t { kBody, kLook, kHair, kPose, kCamera, kLight, kBackdrop, kClutter };

class Random {
 public:
  Random(uint32_t seed, Stream stream, uint32_t part = 0)
      : state_(mix(mix(mix(seed) + static_cast<uint32_t>(stream) * 0x9E3779B9U) + part * 0x85EBCA6BU)) {}

  uint32_t bits() { return mix(state_ += 0x9E3779B97F4A7C15ULL); }
  // In [0,1).
  float unit() { return static_cast<float>(bits() >> 8) * 0x1p-24F; }
  float range(float low, float high) { return low + (high - low) * unit(); }
  // Approximately normal: the sum of three.
  float normal(float mean, float deviation) { return mean + deviation * 2 * (unit() + unit() + unit() - 1.5F); }
  int below(int count) { return static_cast<int>(unit() * static_cast<float>(count)); }
  bool chance(float probability) { return unit() < probability; }
  // An index, with a probability proportional to its weight.
  int pick(std::initializer_list<float> weights) {
    float sum = 0;
    for (const float weight : weights) sum += weight;
    float rest = unit() * sum;
    int index = 0;
    for (const float weight : weights) {
      rest -= weight;
      if (rest < 0) return index;
      ++index;
    }
    return index - 1;
  }

 private:
  static uint32_t mix(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
    return static_cast<uint32_t>((value ^ (value >> 31)) >> 16);
  }
  uint64_t state_;
};

// A smooth curve through random values in [-1,1], `rate` values per second.
inline float wander(uint32_t seed, Stream stream, uint32_t part, double time, double rate) {
  const double place = time * rate;
  const double whole = std::floor(place);
  const auto value = [&](double knot) {
    return Random(seed, stream, part * 7919U + static_cast<uint32_t>(static_cast<int64_t>(knot))).range(-1, 1);
  };
  const auto t = static_cast<float>(place - whole);
  const float eased = t * t * t * (t * (t * 6 - 15) + 10);
  const float low = value(whole), high = value(whole + 1);
  return low + (high - low) * eased;
}

}  // namespace sightglass::figure
