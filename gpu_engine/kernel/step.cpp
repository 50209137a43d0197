#include "kernel/step.h"

#include <algorithm>
#include <bit>

#include "gpu_engine/quoted.h"
#include "sightglass/tuning.h"

namespace sightglass {

StepParams& StepParams::tensor(const TensorRef& t) {
  slots_.push_back({words_.size() + 4, t.tensor, t.first});
  ints(t.shape.w, t.shape.h, t.shape.c, t.shape.b);
  ints(0, t.shape.slices(), t.shape.w * t.shape.h);
  const StoredScale& s = t.scale;
  return floats(s.scale, s.quantized ? 1.0f / s.scale : 0.0f, s.lowest, s.highest);
}

StepParams& StepParams::ints(int32_t x, int32_t y, int32_t z, int32_t w) {
  words_.insert(words_.end(), {x, y, z, w});
  return *this;
}

StepParams& StepParams::floats(float x, float y, float z, float w) {
  return ints(std::bit_cast<int32_t>(x), std::bit_cast<int32_t>(y), std::bit_cast<int32_t>(z),
              std::bit_cast<int32_t>(w));
}

void StepParams::place(const std::vector<PlanTensor>& tensors, const std::function<int64_t(int tensor)>& base) {
  for (const auto& [word, id, first] : slots_) {
    const PlanTensor& tensor = tensors[static_cast<size_t>(id)];
    words_[word] = static_cast<int32_t>((tensor.offset - base(id)) * (kBlockBytes / bytes_of(tensor.storage)) + first);
  }
}

namespace {

constexpr std::string_view kHeader = "sightglass-tuning 1", kDevice = "device ", kSeparator = ": ";
// Generated files have a few hundred KiB at most.
constexpr size_t kLongestText = size_t{16} << 20;

std::string_view take_line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

}  // namespace

Result<Tuning> Tuning::parse(std::string_view text) try {
  if (text.size() > kLongestText) return invalid_argument("tuning results are larger than 16 MiB");
  if (take_line(text) != kHeader) {
    return invalid_argument("line 1 of the tuning results is not '" + std::string(kHeader) + "'");
  }
  const std::string_view device = take_line(text);
  if (!device.starts_with(kDevice)) return invalid_argument("line 2 of the tuning results does not name a device");
  Tuning tuning{std::string(device.substr(kDevice.size()))};
  for (int number = 3; !text.empty(); ++number) {
    const std::string_view line = take_line(text);
    if (line.empty() || line.starts_with('#')) continue;
    const size_t separator = line.find(kSeparator);
    if (separator == line.npos || separator == 0) {
      return invalid_argument("line " + std::to_string(number) + " of the tuning results is not 'step: variant'");
    }
    tuning.choose(std::string(line.substr(0, separator)), std::string(line.substr(separator + kSeparator.size())));
  }
  return tuning;
} catch (...) {
  return status_of_exception("tuning results", "read them");
}

std::string Tuning::to_text() const {
  std::string text(kHeader);
  text.append("\n").append(kDevice).append(device_).append("\n");
  for (const auto& [step, variant] : choices_) text += step + std::string(kSeparator) + variant + "\n";
  return text;
}

std::optional<std::string> Tuning::choice(const std::string& step) const {
  const auto known = choices_.find(step);
  return known == choices_.end() ? std::nullopt : std::optional(known->second);
}

void Tuning::merge(const Tuning& other) {
  for (const auto& [step, variant] : other.choices_) choices_[step] = variant;
}

}  // namespace sightglass
