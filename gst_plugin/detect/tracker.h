// Gives the detections of successive frames identities, all on the GPU: a Kalman filter of constant velocity predicts
// each box, and overlap decides in two rounds, as in ByteTrack (Zhang and others, 2021): sure detections first, then
// unsure ones for the tracks that are left.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "detect/detections.h"
#include "gl/objects.h"
#include "sightglass/gl_objects.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"
#include "sightglass/status.h"

namespace sightglass {

inline constexpr int32_t kMaxTracks = 128;         // more than detections, so that a new one always finds room
inline constexpr float kUnsureScore = 0.1F;        // minimum score of a detection that continues a track
inline constexpr float kLostSeconds = 1.0F;        // lost tracks are forgotten after this time
inline constexpr float kSureOverlap = 0.2F;        // minimum intersection over union of a track and a sure detection,
inline constexpr float kUnsureOverlap = 0.5F;      // and an unsure one
inline constexpr float kTrackedFrameRate = 30.0F;  // Hz, for which the following noise is given
inline constexpr float kPlaceNoise = 0.05F;        // standard deviations in box sizes: of a box,
inline constexpr float kSpeedNoise = 0.00625F;     // and of its change per frame

struct TrackOptions {
  float seconds = -1;      // since the previous frame; below 0: all objects are new, only the ID counter continues
  float threshold = 0.5F;  // minimum score of a sure detection
  int32_t most = kMaxDetections;
};

// All calls, including the destructor, need the context current and leave GL state as the engine's sessions do. They
// never wait, read back, or allocate.
class Tracker {
 public:
  static Result<Tracker> create(const std::shared_ptr<ShareGroup>& group);

  // `detections` is a buffer of Detections, best first, with all whose score is at least TrackOptions::least_score().
  void run(const BufferRange& detections, const TrackOptions& options);
  // Detections with IDs, in the same order: the sure ones, and unsure ones that continue a track. Their boxes are those
  // of the detector. Always the same buffer.
  BufferRange tracked() const { return {tracked_.id(), 0, sizeof(Detections)}; }

  // The threshold to run the detector with.
  static float least_score(float threshold) { return threshold < kUnsureScore ? threshold : kUnsureScore; }

 private:
  struct Block {  // Params of shaders/detect/track.comp
    std::array<float, 4> limits{};
    std::array<int32_t, 4> counts{};
    bool operator==(const Block&) const = default;
  };
  Tracker(const GlApi& gl, SharedProgram program);

  const GlApi* gl_;
  SharedProgram program_;
  UniformBlock<Block> block_;
  GlBuffer tracks_, tracked_;
};

}  // namespace sightglass
