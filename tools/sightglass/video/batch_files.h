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
  std::filesystem::path name;  // relative to the folder
};
// The video files of a folder and its subfolders that belong to the shard, by name. All shards see the same order.
// Files below `without` are left out: the output folder may be inside the input folder.
Result<std::vector<BatchFile>> list_batch(const std::filesystem::path& folder, const std::filesystem::path& without,
                                          const Shard& shard);

// "sub/clip.avi" becomes OUTPUT/sub/clip.avi.mp4, and "clip.mp4" becomes OUTPUT/clip.mp4: names stay distinct.
std::filesystem::path batch_output(const BatchFile& file, const std::filesystem::path& output,
                                   const std::string& ending);

}  // namespace sightglass::video
