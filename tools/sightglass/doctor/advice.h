// Turns measured times into settings that hold 30 frames per second.
#pragma once

#include <cstdint>
#include <string>

#include "doctor/doctor_report.h"

namespace sightglass::doctor {

// Milliseconds per frame at 30 frames per second, and the share that pipelines may plan for: the rest absorbs
// variations and the work of other elements.
inline constexpr double kFrameBudget = 1000.0 / 30, kPlannedShare = 0.9;

struct Settings {
  enum class Kind {
    kUnknown,        // the model was not measured on the GPU
    kEveryFrame,     // the model runs on every frame
    kInterval,       // inference-interval
    kLatest,         // mask-sync=latest with gpu-budget
    kFramesTooSlow,  // not reachable: glsegment is too slow without any model
    kModelTooSlow,   // not reachable: masks would be more than kOldestMask frames old
  };
  Kind kind = Kind::kUnknown;
  bool fp16 = false;
  int interval = 1;        // inference-interval
  int64_t gpu_budget = 0;  // nanoseconds, with kLatest
  int mask_age = 0;        // frames, with kLatest
  double model = 0;        // milliseconds with this precision
  double composite = 0;    // milliseconds per frame without the model, measured or estimated
};

// Milliseconds that glsegment takes to blur and composite a 1280x720 frame: measured, or estimated from the memory
// bandwidth of the device.
double composite_time(const MeasuredSection& measured);

Settings choose_settings(const MeasuredSection& measured);

// One sentence.
std::string advice(const MeasuredSection& measured);

}  // namespace sightglass::doctor
