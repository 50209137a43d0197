// A plain CPU decoder of single-shot detectors, for tests to compare with.
#pragma once

#include <array>
#include <vector>

#include "detect/ssd_decoder.h"
#include "detect/tracker.h"
#include "detect/yolo_decoder.h"

namespace sightglass::test {

// The expected result of SsdDecoder::decode(), in its order.
std::vector<Detection> reference_ssd(const SsdLayout& layout, const std::vector<float>& boxes,
                                     const std::vector<float>& scores, const InputTransform& to_upright,
                                     const SsdChoice& choice);

// The expected result of YoloDecoder::decode(), in its order.
std::vector<Detection> reference_yolo(const YoloLayout& layout, const std::vector<float>& output,
                                      const InputTransform& to_upright, const SsdChoice& choice);

// The same for a grid of cells (YoloLayout::grid_columns).
std::vector<Detection> reference_grid(const YoloLayout& layout, const std::vector<float>& output,
                                      const InputTransform& to_upright, const SsdChoice& choice);

// The same with centers (YoloLayout::centers): scores, sizes, and offsets by cell.
struct CenterMaps {
  std::vector<float> scores, sizes, offsets;
};
std::vector<Detection> reference_centers(const YoloLayout& layout, const CenterMaps& maps,
                                         const InputTransform& to_upright, const SsdChoice& choice);

// The same for distributions (YoloLayout::bins).
std::vector<Detection> reference_distributions(const YoloLayout& layout, const std::vector<float>& output,
                                               const InputTransform& to_upright, const SsdChoice& choice);

// The same for a grid with anchors (YoloLayout::cell_anchors).
std::vector<Detection> reference_cell_anchors(const YoloLayout& layout, const std::vector<float>& output,
                                              const InputTransform& to_upright, const SsdChoice& choice);

// The outputs of a face detector for one layer of cells, one row per anchor.
struct FaceRows {
  std::vector<float> score, other_score, box, points;
};
// The expected result of FaceDecoder::decode(), in its order.
std::vector<Detection> reference_faces(const FaceLayout& layout, const std::array<FaceRows, kMostFaceLayers>& layers,
                                       const InputTransform& to_upright, SsdChoice choice);

// The expected results of Tracker::run(), one frame after another, with the best assignment of all in place of an
// auction.
class ReferenceTracker {
 public:
  std::vector<Detection> run(const std::vector<Detection>& detections, const TrackOptions& options);

 private:
  struct Axis {  // a Kalman filter of a value and its change per frame
    double value = 0, speed = 0, variance = 0, covariance = 0, speed_variance = 0;
  };
  struct Track {
    std::array<Axis, 4> axes;  // center x and y, width and height
    int id = 0, class_id = 0;
    double lost = 0;
  };
  void predict(Track& track, double seconds) const;
  static void correct(Track& track, const std::array<double, 4>& box);

  std::vector<Track> tracks_;
  int last_id_ = 0;
};

// The short-range BlazeFace detector: 896 anchors.
AnchorGrid short_range_face();

// Reads back the valid entries of a buffer of Detections (detect/detections.h).
std::vector<Detection> read_detections(const GlApi& gl, GLuint buffer);

}  // namespace sightglass::test
