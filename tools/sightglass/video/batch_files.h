// The files of a batch: inputs, outputs, and their distribution.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sightglass/status.h"

namespace sightglass::video {

struct Shard {
  int index = 0, count = 1;  // index from 0 to count - 1
};
// "2/8". The error names the text.
Result<Shard> parse_shard(const std::string& text);

struct BatchFile {
  std::filesystem::path input;
  std::filesystem::path name;  // relative to the folder, as found there: links are not resolved
};
// The video files of a folder and its subfolders that belong to the shard, by name, including links to files. All
// shards see the same order. Files below `without` are left out: the output folder may be inside the input folder.
// Links to folders are not followed. `problems`, which may be null, receives a line for each subfolder that is left
// out.
Result<std::vector<BatchFile>> list_batch(const std::filesystem::path& folder, const std::filesystem::path& without,
                                          const Shard& shard, std::vector<std::string>* problems = nullptr);

// "clip.mp4" becomes OUTPUT/clip.mp4, "sub/clip.avi" becomes OUTPUT/sub/clip.avi.mp4, and "clip.avi.mp4" becomes
// OUTPUT/clip.avi.mp4.mp4: names stay distinct, whatever other files there are.
std::filesystem::path batch_output(const BatchFile& file, const std::filesystem::path& output,
                                   const std::string& ending);

// Creates the folder of a result. Fails if it is outside the output folder, as links there could make it.
Status make_result_folder(const std::filesystem::path& result, const std::filesystem::path& output);

// Whether `path` is in `folder` or is the folder. Links are resolved.
bool is_inside(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace sightglass::video
