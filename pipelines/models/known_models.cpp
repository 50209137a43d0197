#include "known_models.h"

#include <glib.h>

#include <algorithm>
#include <memory>

namespace sightglass {
namespace {

constexpr std::array<float, 4> kTwice{2, 2, 2, 2}, kMinusOne{-1, -1, -1, -1};
// The hair segmenter's fourth channel is the mask of the frame before; none is given here.
constexpr std::array<float, 4> kNoFourth{1, 1, 1, 0};

// Checksums of the files as MediaPipe and TensorFlow publish them. Quantised ones carry their normalisation themselves.
const KnownModel kModels[] = {
    {"191ac9529ae506ee0beefa6b2c945a172dab9d07d1e802a290a4e4038226658b", "MediaPipe selfie segmenter",
     Task::kSegmentation},
    {"8d13b7fae74af625c641226813616a2117bd6bca19eb3b75574621fc08557f27", "MediaPipe selfie segmentation",
     Task::kSegmentation},
    {"4aafe6223bb8dac6fac8ca8ed56852870a33051ef3f6238822d282a109962894", "MediaPipe selfie segmentation, landscape",
     Task::kSegmentation},
    {"bb154f248543c0738e32f1c74375245651351a84746dc21f10bdfaabd8fae4ca", "MediaPipe selfie segmentation, 128 x 128",
     Task::kSegmentation},
    {"5c770b8834ad50586599eae7710921be09d356898413fc0bf37a9458da0610eb", "MediaPipe selfie segmentation, 144 x 256",
     Task::kSegmentation},
    {"d2c940c4fd80edeaf38f5d7387d1b4235ee320ed120080df67c663e749e77633",
     "MediaPipe hair segmentation",
     Task::kSegmentation,
     kNoFourth,
     {},
     "1"},
    {"9711334db2b01d5894feb8ed0f5cb3e97d125b8d229f8d8692f625801818f5ef", "DeepLab v3, of MediaPipe",
     Task::kSegmentation, kTwice, kMinusOne, "15"},
    {"68a539782c2c6a72f8aac3724600124a85ed977162b44e84cbae5db717c933c6", "DeepLab v3, 257 x 257", Task::kSegmentation,
     kTwice, kMinusOne, "15"},
    {"0470d2a782aa54eeeb99d32e7b6b3fb7722905c7c4f5d26bd957ec861366d48b", "DeepLab v3, 8-bit", Task::kSegmentation},
    {"d2de5fcc47ec4279c3fea0a5e38ab5cdacb3e1a27409b83557faabb81d07402e", "BodyPix, MobileNet v1 0.50",
     Task::kSegmentation, kTwice, kMinusOne},
    {"4477c53a22a3439bda96f964eb0736b2c63f94493625cc6fe180a4f066374e47", "U-Net for persons, 8-bit weights",
     Task::kSegmentation},
    {"46837eb883e6ec75b52c5f5ff6a9b78bd35e66c13f95e8c3566c582d146cb1d9", "BlazePose detection", Task::kPose, kTwice,
     kMinusOne},
    {"a63c614bef30d35947f13be361820b1e4e3bec9cfeebf4d11216a18373108e85", "BlazePose detection", Task::kPose, kTwice,
     kMinusOne},
    {"ad6cfd3c903eb31a4ee788b809e45ecf9fa69923b69b9f3f2d9ae616ff433e58", "BlazePose landmarks, lite", Task::kPose},
    {"f17bfbecadb61c3be1baa8b8d851cc6619c870a87167b32848ad20db306b9d61", "BlazePose landmarks, lite", Task::kPose},
    {"e9a5c5cb17f736fafd4c2ec1da3b3d331d6edbe8a0d32395855aeb2cdfd64b9f", "BlazePose landmarks, full", Task::kPose},
    {"59e42d71bcd44cbdbabc419f0ff76686595fd265419566bd4009ef703ea8e1fe", "BlazePose landmarks, heavy", Task::kPose},
    {"cd7cc22fa946e5d146a7b98d496853e1923e22828d3972d579973f27f91bb105", "MoveNet Lightning, 8-bit", Task::kPose},
    {"d589f727ee72effba3e8211b04c284fc65fc0a22907c161e2d6c080244d5c264", "PoseNet, MobileNet v1 0.75, 8-bit",
     Task::kPose},
    {"0fd358cc82b4e750efb405effcb7d48d8db06164d8425e31c778f54efc65454c", "PoseNet, MobileNet v1 1.00, 8-bit",
     Task::kPose, kTwice, kMinusOne},
    {"3bc182eb9f33925d9e58b5c8d59308a760f4adea8f282370e428c51212c26633", "BlazeFace, short range", Task::kFace, kTwice,
     kMinusOne},
    {"bbff11cebd1eb27a1e004cae0b0e63ec8c551cbf34a4451148b4908b8db3eca8", "BlazeFace, short range", Task::kFace, kTwice,
     kMinusOne},
    {"671dd2f9ed11a78436fc21cc42357a803dfc6f73e9fb86541be942d5716c2dce", "BlazeFace, full range, sparse", Task::kFace,
     kTwice, kMinusOne},
    {"2c3728e6da56f21e21a320433396fb06d40d9088f2247c05e5635a688d45dfe1", "BlazeFace, full range, sparse", Task::kFace,
     kTwice, kMinusOne},
    {"3698b18f063835bc609069ef052228fbe86d9c9a6dc8dcb7c7c2d69aed2b181b", "BlazeFace, full range", Task::kFace, kTwice,
     kMinusOne},
    {"c603fa6149219a3e9487dc9abd7a0c24474c77263273d24868378cdf40aa26d1", "MediaPipe face mesh, 16-bit weights",
     Task::kFace},
    {"2efcb4f4de43c7614b80a3cc3e8a37354b3b3b40f75cce20f6f38f0f25d65493", "MediaPipe face mesh", Task::kFace},
    {"1055cb9d4a9ca8b8c688902a3a5194311138ba256bcc94e336d8373a5f30c814", "MediaPipe face mesh", Task::kFace},
    {"e06a804e0144f9929eda782122916b35d60c697c3c9344013ca2bbe76a6ce2b4", "MediaPipe face mesh with attention",
     Task::kFace},
    {"d1744d2a09c25f501d39eba4faff47e53ecca8852c5ce19bce8eeac39357521f", "MediaPipe iris landmarks", Task::kFace},
    {"e9a4aaddf90dda56a87235303cf00e4c2d3fb28725f68fd88772997dac905c18", "MediaPipe palm detection, lite", Task::kHand},
    {"1b14e9422c6ad006cde6581a46c8b90dd573c07ab7f3934b5589e7cea3f89a54", "MediaPipe palm detection, full", Task::kHand},
    {"048edd3645c9bf7397d19a9f6e3a42957d6e414c9bea6598030a2e9b624156e6", "MediaPipe hand landmarks, lite", Task::kHand},
    {"11c272b891e1a99ab034208e23937a8008388cf11ed2a9d776ed3d01d0ba00e3", "MediaPipe hand landmarks, full", Task::kHand},
    {"4c1bb1e2317d85ec23f7424b49a8134d3b9609de4257fbb7210541afbb62c2e1", "SSD MobileNet v2 FPNLite, 8-bit",
     Task::kDetection},
    {"cbdecd08b44c5dea3821f77c5468e2936ecfbf43cde0795a2729fdb43401e58b", "SSD MobileNet v1", Task::kDetection},
    {"8e10a2e2f5db85d8f90628f00752a89ff241c5b2ca82f3b92fc496c7bda122ef", "SSDLite object detection", Task::kDetection},
    {"446ec673881cd46371a8726075b714194ada39d144762260cb76d15318597df7", "MobileNet v1 0.25", Task::kClassification,
     kTwice, kMinusOne},
    {"e480eb15572f86d3d5f1be6e83e35b3c7d509ab2bcec353707d1f614e14edca2", "MobileNet v1 0.25, 8-bit",
     Task::kClassification},
    {"ff5cb7f9e62c92ebdad971f8a98aa6b3106d82a64587a7787c6a385c9e791339", "MobileNet v2 1.0", Task::kClassification,
     kTwice, kMinusOne},
    {"5d3137241276e79c86d14a74fe43581398ae0e815191d3dba45495b810840e8c", "MobileNet v2 1.0, 8-bit",
     Task::kClassification},
    {"c60cff7395544eda1f0915d6dddaedd8ed868cefe8ec6c5ed220ba801f120303", "Arbitrary style transfer, 16-bit weights",
     Task::kStyle},
    {"1972f7d438b6e9ff326c466db1a8005a8a0efa0274886bbd52f91dc8be2f4f04", "Arbitrary style transfer, 8-bit",
     Task::kStyle},
};

std::string sha256_of(const std::string& path) {
  const std::unique_ptr<GMappedFile, decltype(&g_mapped_file_unref)> file(
      g_mapped_file_new(path.c_str(), FALSE, nullptr), g_mapped_file_unref);
  if (!file) return {};
  const std::unique_ptr<char, decltype(&g_free)> digits(
      g_compute_checksum_for_data(G_CHECKSUM_SHA256,
                                  reinterpret_cast<const guchar*>(g_mapped_file_get_contents(file.get())),
                                  g_mapped_file_get_length(file.get())),
      g_free);
  return digits ? digits.get() : "";
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

std::optional<KnownModel> recognise_model(const std::string& path) {
  const std::string sha256 = sha256_of(path);
  const auto* found = std::ranges::find(kModels, sha256, &KnownModel::sha256);
  return found == std::end(kModels) ? std::nullopt : std::optional(*found);
}

}  // namespace sightglass
