// A .task bundle, as MediaPipe publishes: a ZIP archive of models and other files, which may contain further bundles.
// The file is untrusted: names, sizes and checksums are verified before any contents are used. Nothing is unpacked to
// disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu_engine/files.h"
#include "sightglass/status.h"

namespace sightglass {

// The models of one task in a bundle, as names of members; empty: not in the bundle.
struct BundledTask {
  std::string subject;      // "face", "hand", "pose"
  std::string landmarks;    // always set
  std::string detector;     // finds the region for the landmarks
  std::string blendshapes;  // takes the landmarks
  // The element that runs such a task; null if there is none.
  const char* element() const;
};

// Immutable; any thread.
class TaskBundle {
 public:
  static constexpr size_t kMostMembers = 100;
  static constexpr size_t kLongestName = 255;
  static constexpr int64_t kLargestFile = int64_t{1} << 30;
  // Maximum of all compressed members together, in this bundle and in those inside, decompressed. It is less for a
  // small bundle, since weights hardly compress: 64 MiB, and 32 times the size of the file.
  static constexpr uint64_t kMostBytes = uint64_t{512} << 20;

  struct Member {
    std::string name;  // of a member of a bundle inside: "hand_landmarker.task/hand_detector.tflite"
    uint64_t bytes = 0;
    bool is_model() const { return name.ends_with(".tflite"); }
  };

  // Whether the file seems to be a bundle, whole or damaged: it is a ZIP archive or is called .task, and is not a
  // model. False if it cannot be read.
  static bool is_bundle(const std::string& path);
  // Reads the file. Fails, naming it, if it is not a bundle, or if any member is compressed by an unknown method,
  // encrypted, or too large, has an unusable name, or is not where the directory states it.
  static Result<TaskBundle> open(const std::string& path);
  // The same with a copy of `bytes`; errors call it `name`.
  static Result<TaskBundle> open(std::span<const std::byte> bytes, const std::string& name);

  const std::string& name() const { return name_; }
  const std::vector<Member>& members() const { return members_; }
  std::vector<Member> models() const;
  // The tasks whose models have the usual names: SUBJECT_landmarks_detector.tflite, SUBJECT_detector.tflite and
  // SUBJECT_blendshapes.tflite.
  std::vector<BundledTask> tasks() const;
  // For errors: "face_detector.tflite, face_blendshapes.tflite"; of all members if there is no model.
  std::string list_models() const;
  // Decompresses and verifies the contents, each time. If there is no such member, the error names the models.
  Result<FileContents> read(std::string_view member) const;

 private:
  // Where the contents of a member are.
  struct Source {
    std::shared_ptr<const void> owner;  // keeps `stored` valid
    std::span<const std::byte> stored;
    uint16_t method = 0;
    uint32_t crc32 = 0;
    uint64_t bytes = 0;
    std::string name;
    // Errors have no subject.
    Result<FileContents> contents() const;
  };
  TaskBundle() = default;
  static Result<TaskBundle> open(const FileContents& file, const std::string& name);
  Status add_members(const FileContents& archive, const std::string& folder);
  static Status check_apart(const std::vector<Source>& sources);
  Status add_member(const Source& source);

  std::string name_;
  std::vector<Member> members_;
  std::vector<Source> sources_;                      // by member
  uint64_t inflated_bytes_ = 0, most_inflated_ = 0;  // of all compressed members, decompressed
};

}  // namespace sightglass
