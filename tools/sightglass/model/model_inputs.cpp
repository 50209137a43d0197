#include "model/model_inputs.h"

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "gpu_engine/files.h"
#include "gpu_engine/quoted.h"
#include "model/picture_input.h"
#include "sightglass/model.h"
#include "sightglass/status.h"

namespace sightglass {

// Names may contain '=', but shapes cannot.
Result<InputShape> parse_input_shape(std::string_view text) {
  const auto wrong = [&] {
    return invalid_argument("'" + std::string(text) +
                            "' is not a valid input shape; give the name or index of an input and its shape, such as "
                            "input=1x256x256x3");
  };
  const size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0) return wrong();
  std::vector<int32_t> dims;
  const char* at = text.data() + equals + 1;
  const char* const end = text.data() + text.size();
  while (true) {
    int32_t dim = 0;
    const auto parsed = std::from_chars(at, end, dim);
    if (parsed.ec != std::errc() || dim < 1 || dims.size() == Shape::kMaxRank) return wrong();
    dims.push_back(dim);
    at = parsed.ptr;
    if (at == end) break;
    if (*at++ != 'x') return wrong();
  }
  return InputShape{std::string(text.substr(0, equals)), Shape(dims)};
}

namespace {

constexpr std::string_view kRandomPrefix = "random:";

std::string describe(const TensorInfo& info, size_t index) {
  return "input " + std::to_string(index) + " " + sightglass::quote(info.name) + " (" + to_string(info.type) + " " +
         info.shape.to_string() + ")";
}

Result<uint64_t> parse_seed(std::string_view source) {
  const std::string_view digits = source.substr(kRandomPrefix.size());
  uint64_t seed = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seed);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) {
    return invalid_argument("'" + std::string(source) + "' needs an integer seed, such as random:1");
  }
  return seed;
}

Result<HostTensor> load_raw(const std::string& path, const TensorInfo& info) {
  Result<InputFile> file = InputFile::open(path);
  if (!file.ok()) return file.status().with_context(path);
  HostTensor tensor(info.type, info.shape);
  if (static_cast<size_t>(file->size()) != tensor.data.size()) {
    return invalid_argument(path + " has " + std::to_string(file->size()) + " bytes; the tensor has " +
                            std::to_string(tensor.data.size()));
  }
  const Status status = file->read_exactly(tensor.data);
  if (!status.ok()) return status.with_context(path);
  return tensor;
}

Result<HostTensor> random_tensor(RandomStream& stream, const TensorInfo& info, const InputOptions& options) {
  HostTensor tensor(info.type, info.shape);
  if (!stream.fill(info.type, tensor.data)) {
    return unsupported(std::string("random input of type ") + to_string(info.type) +
                       " is not supported; give a .raw file");
  }
  if (options.range && info.type == DataType::kFloat32) {
    const auto low = static_cast<float>(options.range->first);
    const auto span = static_cast<float>(options.range->second - options.range->first);
    for (float& value : tensor.as<float>()) value = value * span + low;
  }
  return tensor;
}

Result<HostTensor> load_picture_tensor(const std::string& path, const TensorInfo& info, const InputOptions& options) {
  Normalization normalization;
  if (options.range) normalization = Normalization::from_range(options.range->first, options.range->second);
  if (options.scale_offset) {
    normalization = {static_cast<float>(options.scale_offset->first), static_cast<float>(options.scale_offset->second)};
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const Picture picture, load_picture(path, options.largest_picture));
  return picture_to_tensor(picture, info.type, info.shape, normalization, options.fit);
}

}  // namespace

Result<std::vector<ModelInput>> load_model_inputs(const Model& model, const InputOptions& options) {
  const auto& infos = model.inputs();
  if (options.sources.size() > infos.size()) {
    return invalid_argument(std::to_string(options.sources.size()) + " inputs are given; " + model.name() + " has " +
                            std::to_string(infos.size()));
  }
  std::vector<ModelInput> inputs;
  RandomStream stream(1);
  std::string stream_name = "random:1";
  for (size_t i = 0; i < infos.size(); ++i) {
    const std::string context = describe(infos[i], i);
    const bool given = i < options.sources.size();
    const std::string source = given ? options.sources[i] : stream_name;
    Result<HostTensor> tensor = internal_error("no source");
    if (!given || source.starts_with(kRandomPrefix)) {
      if (given) {
        const auto seed = parse_seed(source);
        if (!seed.ok()) return seed.status().with_context(context);
        stream = RandomStream(*seed);
        stream_name = source;
      }
      tensor = random_tensor(stream, infos[i], options);
    } else if (source.ends_with(".raw")) {
      tensor = load_raw(source, infos[i]);
    } else {
      tensor = load_picture_tensor(source, infos[i], options);
    }
    if (!tensor.ok()) return tensor.status().with_context(context);
    inputs.push_back({std::move(tensor).value(), given ? source : stream_name + " (continued)"});
  }
  return inputs;
}

}  // namespace sightglass
