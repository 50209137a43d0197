#include "meta/inference_results.h"

#include <array>
#include <string>

#include "meta/persons.h"

namespace sightglass {

namespace {

using Bone = std::pair<uint8_t, uint8_t>;

constexpr const char* kBlazePosePoints[] = {
    "nose",        "left_eye_inner",  "left_eye",        "left_eye_outer", "right_eye_inner",
    "right_eye",   "right_eye_outer", "left_ear",        "right_ear",      "mouth_left",
    "mouth_right", "left_shoulder",   "right_shoulder",  "left_elbow",     "right_elbow",
    "left_wrist",  "right_wrist",     "left_pinky",      "right_pinky",    "left_index",
    "right_index", "left_thumb",      "right_thumb",     "left_hip",       "right_hip",
    "left_knee",   "right_knee",      "left_ankle",      "right_ankle",    "left_heel",
    "right_heel",  "left_foot_index", "right_foot_index"};
constexpr Bone kBlazePoseBones[] = {{0, 1},   {1, 2},   {2, 3},   {3, 7},   {0, 4},   {4, 5},   {5, 6},
                                    {6, 8},   {9, 10},  {11, 12}, {11, 13}, {13, 15}, {15, 17}, {15, 19},
                                    {15, 21}, {17, 19}, {12, 14}, {14, 16}, {16, 18}, {16, 20}, {16, 22},
                                    {18, 20}, {11, 23}, {12, 24}, {23, 24}, {23, 25}, {24, 26}, {25, 27},
                                    {26, 28}, {27, 29}, {28, 30}, {29, 31}, {30, 32}, {27, 31}, {28, 32}};

constexpr const char* kCocoPoints[] = {"nose",          "left_eye",       "right_eye",  "left_ear",    "right_ear",
                                       "left_shoulder", "right_shoulder", "left_elbow", "right_elbow", "left_wrist",
                                       "right_wrist",   "left_hip",       "right_hip",  "left_knee",   "right_knee",
                                       "left_ankle",    "right_ankle"};
constexpr Bone kCocoBones[] = {{0, 1},  {0, 2}, {1, 3},  {2, 4},   {5, 6},   {5, 7},   {5, 11},  {6, 8},
                               {6, 12}, {7, 9}, {8, 10}, {11, 12}, {11, 13}, {12, 14}, {13, 15}, {14, 16}};

constexpr const char* kHandPoints[] = {"wrist",
                                       "thumb_cmc",
                                       "thumb_mcp",
                                       "thumb_ip",
                                       "thumb_tip",
                                       "index_finger_mcp",
                                       "index_finger_pip",
                                       "index_finger_dip",
                                       "index_finger_tip",
                                       "middle_finger_mcp",
                                       "middle_finger_pip",
                                       "middle_finger_dip",
                                       "middle_finger_tip",
                                       "ring_finger_mcp",
                                       "ring_finger_pip",
                                       "ring_finger_dip",
                                       "ring_finger_tip",
                                       "pinky_mcp",
                                       "pinky_pip",
                                       "pinky_dip",
                                       "pinky_tip"};
constexpr Bone kHandBones[] = {{0, 1},   {1, 2},   {2, 3},   {3, 4},   {0, 5},   {5, 6},   {6, 7},
                               {7, 8},   {5, 9},   {9, 10},  {10, 11}, {11, 12}, {9, 13},  {13, 14},
                               {14, 15}, {15, 16}, {13, 17}, {17, 18}, {18, 19}, {19, 20}, {0, 17}};

}  // namespace

const Skeleton& blazepose_skeleton() {
  static constexpr Skeleton kSkeleton{"blazepose-33", kBlazePosePoints, kBlazePoseBones};
  return kSkeleton;
}

const Skeleton& coco_skeleton() {
  static constexpr Skeleton kSkeleton{"coco-17", kCocoPoints, kCocoBones};
  return kSkeleton;
}

const Skeleton& hand_skeleton() {
  static constexpr Skeleton kSkeleton{"hand-21", kHandPoints, kHandBones};
  return kSkeleton;
}

const Skeleton& nameless_skeleton(int32_t points) {
  struct Names {
    std::array<std::string, kMaxKeyPoints> texts;
    std::array<const char*, kMaxKeyPoints> pointers{};
    std::array<Skeleton, kMaxKeyPoints> skeletons{};  // each with one point more than the previous one
    Names() {
      for (size_t i = 0; i < texts.size(); ++i) {
        texts[i] = "point_" + std::to_string(i);
        pointers[i] = texts[i].c_str();
        skeletons[i] = {"points", {pointers.data(), i + 1}, {}};
      }
    }
  };
  static const Names names;
  return names.skeletons[static_cast<size_t>(points) - 1];
}

}  // namespace sightglass
