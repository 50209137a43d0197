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
  // Of one compressed member, and of all bundles inside, decompressed.
  static constexpr uint64_t kMostBytes = uint64_t{512} << 20;

  struct Member {
    std::string name;  // of a member of a bundle inside: "hand_landmarker.task/hand_detector.tflite"
    uint64_t bytes = 0;
    bool is_model() const { return name.ends_with(".tflite"); }
  };

  // Whether the file seems to be a bundle, whole or damaged: it is a ZIP archive or is called .task, and is not a
  // model. False if it cannot be read.
  static bool is_bundle(const std::string& path);
  // Maps the file, which must not change while this lives. Fails, naming the file, if it is not a bundle, or if any
  // member is compressed by an unknown method, encrypted, or too large, has an unusable name, or is not where the
  // directory states it.
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
  // Verifies and returns the contents. If there is no such member, the error names the models.
  Result<std::vector<std::byte>> read(std::string_view member) const;

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
    Result<std::vector<std::byte>> contents() const;
  };
  TaskBundle() = default;
  static Result<TaskBundle> open(std::shared_ptr<const void> owner, std::span<const std::byte> bytes,
                                 const std::string& name);
  Status add_members(const std::shared_ptr<const void>& owner, std::span<const std::byte> archive,
                     const std::string& folder);
  static Status check_apart(const std::vector<Source>& sources);
  Status add_member(const Source& source);

  std::string name_;
  std::vector<Member> members_;
  std::vector<Source> sources_;  // by member
  uint64_t bytes_inside_ = 0;    // of all bundles inside, decompressed
};

}  // namespace sightglass
