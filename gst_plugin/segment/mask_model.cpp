#include "segment/mask_model.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>

#include "element_names.h"
#include "known_models.h"
#include "sightglass/model.h"

namespace sightglass {

// Recognizes models by the shapes of their inputs and outputs: copies and conversions of published models, whose files
// have other checksums.

namespace {

constexpr std::array<float, 4> kTwice{2, 2, 2, 2}, kMinusOne{-1, -1, -1, -1};

// DeepLab v3 as published by TensorFlow: the classes of PASCAL VOC at the input size or a fraction of it.
bool is_deeplab(const TensorInfo& input, const TensorInfo& output) {
  constexpr int32_t kClasses = 21;
  return input.shape.dim(3) == 3 && output.shape.rank() == 4 && output.shape.dim(3) == kClasses;
}

// Its output is called "segments" in all conversions.
bool is_body_pix(const TensorInfo& output) {
  return output.shape.rank() == 4 && output.shape.dim(3) == 1 &&
         output.name.find("float_segments") != std::string::npos;
}

// MediaPipe hair segmentation: input colors and previous mask, output background and hair.
bool is_hair(const TensorInfo& input, const TensorInfo& output) {
  return input.shape.dim(3) == 4 && output.shape.rank() == 4 && output.shape.dim(3) == 2 &&
         output.shape.dim(1) == input.shape.dim(1) && output.shape.dim(2) == input.shape.dim(2);
}

}  // namespace

// `out` is the mask. A guess has no checksum (null). Empty for models that the defaults suit, such as those that
// take colors in [0,1] and have one or two output channels.
std::optional<KnownModel> guess_mask_model(const TensorInfo& in, const TensorInfo& out) {
  KnownModel guess{};
  guess.task = Task::kSegmentation;
  if (is_hair(in, out)) {
    guess.title = "a hair segmenter";
    guess.classes = "1";
    guess.labels = "background,hair";
    guess.previous_mask = true;
  } else if (is_body_pix(out)) {
    guess.title = "BodyPix";
    guess.scale = kTwice;
    guess.offset = kMinusOne;
  } else if (is_deeplab(in, out)) {
    guess.title = "DeepLab v3";
    guess.scale = kTwice;
    guess.offset = kMinusOne;
    guess.classes = "15";
    guess.labels = kPascalVocLabels;
  } else {
    return std::nullopt;
  }
  return guess;
}

namespace {

bool is_whole(DataType type) { return type != DataType::kFloat32 && type != DataType::kFloat16; }

// One number per pixel. The dimension of a single channel may be missing.
bool is_map(const TensorInfo& tensor) {
  const Shape& shape = tensor.shape;
  const bool one = shape.rank() == 3 || (shape.rank() == 4 && shape.dim(3) == 1);
  return one && shape.dim(0) == 1 && shape.dim(1) > 1 && shape.dim(2) > 1;
}

// A class index for each pixel: as the operators prove, or whole numbers of a type that is not used for samples.
bool is_class_map(const Model& model, size_t output) {
  const TensorInfo& tensor = model.outputs()[output];
  const bool whole = tensor.type == DataType::kInt32 || tensor.type == DataType::kInt64;
  return is_map(tensor) && (whole || model.output_holds_indices(output));
}

// Integers that are not quantized: a texture cannot store them.
bool is_raw(const TensorInfo& tensor) { return is_whole(tensor.type) && tensor.quantization.empty(); }

bool is_mask(const Model& model, size_t output) {
  const TensorInfo& tensor = model.outputs()[output];
  return is_picture(tensor) || is_class_map(model, output) || (is_map(tensor) && is_raw(tensor));
}

// Whether height / width is that of the model input, within rounding of small masks.
bool has_proportions(const TensorInfo& input, int32_t height, int32_t width) {
  const float expected = static_cast<float>(input.shape.dim(1)) / static_cast<float>(input.shape.dim(2));
  const float found = static_cast<float>(height) / static_cast<float>(width);
  constexpr float kMost = 1.1F;
  return found < expected * kMost && found > expected / kMost;
}

// The model moves outputs with channels first itself if its operators prove that order. If they prove nothing, the
// convention is channels last, unless the proportions contradict it.
Status check_order(const Model& model, const TensorInfo& input, size_t output) {
  const TensorInfo& mask = model.outputs()[output];
  if (!is_picture(mask)) return {};
  const Shape& shape = mask.shape;
  if (has_proportions(input, shape.dim(1), shape.dim(2)) || !has_proportions(input, shape.dim(2), shape.dim(3))) {
    return {};
  }
  return unsupported(model.name() + ": output " + describe(mask) + " seems to have its channels first: " +
                     std::to_string(shape.dim(2)) + "x" + std::to_string(shape.dim(3)) +
                     " has the proportions of the input, but no operator proves the order; convert the model with an "
                     "output of shape 1 x height x width x classes");
}

// What the inputs of a model are: the frame, the largest image; others that continue an output of the previous run,
// which has their type and shape; and the factor of Robust Video Matting.
struct InputRoles {
  size_t frame = 0;
  std::optional<size_t> ratio;
  std::vector<std::pair<size_t, size_t>> states;  // inputs and outputs
  bool is_state(size_t output) const {
    return std::ranges::find(states, output, &std::pair<size_t, size_t>::second) != states.end();
  }
};

// Of an input that can be the frame, otherwise 0.
int64_t frame_elements(const TensorInfo& input) {
  const int32_t channels = is_picture(input) ? input.shape.dim(3) : 0;
  return channels == 1 || channels == 3 || channels == 4 ? input.shape.elements() : 0;
}

bool are_alike(const TensorInfo& a, const TensorInfo& b) {
  return a.type == b.type && a.shape == b.shape && a.quantization.scale == b.quantization.scale &&
         a.quantization.zero_point == b.quantization.zero_point;
}

Result<InputRoles> find_roles(const Model& model) {
  const auto& inputs = model.inputs();
  InputRoles roles;
  for (size_t i = 1; i < inputs.size(); ++i) {
    if (frame_elements(inputs[i]) > frame_elements(inputs[roles.frame])) roles.frame = i;
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (i == roles.frame) continue;
    const bool is_one = inputs[i].shape.elements() == 1 && inputs[i].type == DataType::kFloat32;
    if (is_one && !roles.ratio && inputs[i].name.find("ratio") != std::string::npos) {
      roles.ratio = i;
      continue;
    }
    // A second image in color, such as one of an empty background, is no state.
    const bool is_image = is_picture(inputs[i]) && inputs[i].shape == inputs[roles.frame].shape;
    size_t output = is_image ? model.outputs().size() : 0;
    while (output < model.outputs().size() &&
           (roles.is_state(output) || !are_alike(inputs[i], model.outputs()[output]))) {
      ++output;
    }
    if (output == model.outputs().size()) {
      return unsupported(model.name() + ": expected an image input, and inputs that continue an output of the " +
                         "previous run with their type and shape, but none of " + list(model.outputs()) +
                         " continues input " + std::to_string(i) + " " + describe(inputs[i]));
    }
    roles.states.emplace_back(i, output);
  }
  return roles;
}

// The first image. Beside states, the first one with one channel, which is the alpha of a matte, and a state only if
// there is nothing else, which is then the previous mask.
Result<size_t> choose_output(const Model& model, const InputRoles& roles, int32_t wanted) {
  const auto& outputs = model.outputs();
  if (wanted >= 0) {
    const size_t index = static_cast<size_t>(wanted);
    if (index >= outputs.size()) {
      return invalid_argument(model.name() + ": there is no output " + std::to_string(wanted) + "; the outputs are " +
                              list(outputs));
    }
    if (!is_mask(model, index)) {
      return unsupported(model.name() + ": output " + std::to_string(wanted) + " " + describe(outputs[index]) +
                         " is no mask; one of shape 1 x height x width x classes is needed");
    }
    return index;
  }
  enum Wanted { kAlpha, kNoState, kAny };
  for (const Wanted least : {kAlpha, kNoState, kAny}) {
    if (least == kAlpha && roles.states.empty()) continue;
    for (size_t index = 0; index < outputs.size(); ++index) {
      if (!is_mask(model, index) || (least != kAny && roles.is_state(index))) continue;
      if (least != kAlpha || is_map(outputs[index])) return index;
    }
  }
  return unsupported(model.name() +
                     ": no output is a mask; one of shape 1 x height x width x classes is needed, the outputs are " +
                     list(outputs));
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    parts.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

// For outputs with three or more channels, and those with integers.
std::optional<ClassLayout> class_layout(const Model& model, size_t output, const OutputSpec& spec,
                                        const std::vector<int32_t>& wanted, const std::optional<KnownModel>& known) {
  const TensorInfo& info = model.outputs()[output];
  const int32_t channels = is_class_map(model, output) ? 0 : is_map(info) ? 1 : info.shape.dim(3);
  const bool fits_texture = channels == 1 || channels == 2 || channels > kMaxMaskClasses;
  if (fits_texture && !is_raw(info)) return std::nullopt;
  ClassLayout layout{info.shape.dim(2), info.shape.dim(1), channels, spec.scale, spec.offset,
                     spec.activation,   spec.classes,      wanted,   {}};
  if (channels == 1) {
    layout.foreground = {0};
    return layout;
  }
  std::vector<int32_t> all;
  for (int32_t c = 1; c < (channels > 0 ? channels : kMaxMaskClasses); ++c) all.push_back(c);
  if (layout.foreground.empty()) layout.foreground = all;
  if (layout.shown.empty()) layout.shown = all;
  std::erase(layout.shown, 0);
  const auto& described = model.metadata().outputs;
  if (output < described.size()) layout.names = described[output].labels();
  if (layout.names.empty() && known) layout.names = split(known->labels);
  return layout;
}

std::optional<YoloModel> find_objects(const Model& model) {
  if (model.inputs().size() != 1) return std::nullopt;
  for (const YoloHead head : {YoloHead::kPlain, YoloHead::kObjectness, YoloHead::kRanked}) {
    YoloSearch search = find_yolo(model, head);
    if (search.found) return std::move(search.found);
  }
  return std::nullopt;
}

// Unless `classes` names some, the foreground is people, or objects of all classes if none is called a person.
Result<MaskModel> describe_objects(const Model& model, YoloModel yolo, const MaskModelOptions& options) {
  if (!yolo.prototypes) {
    return unsupported(model.name() + ": output " + describe(model.outputs()[yolo.output]) +
                       " has the boxes of a YOLO detector, but the model has no masks; set model to a segmentation "
                       "model, or run it with " +
                       elements::kInfer.element);
  }
  constexpr int32_t kCocoClasses = 80;
  const int32_t classes = yolo.layout.classes > 0 ? std::min(yolo.layout.classes, kCountedClasses) : kCountedClasses;
  MaskModel result;
  MaskModel::Objects objects{std::move(yolo), options.classes};
  for (const int32_t c : objects.classes) {
    if (c < classes) continue;
    return invalid_argument(model.name() + ": classes names class " + std::to_string(c) +
                            ", but the model has classes 0 to " + std::to_string(classes - 1));
  }
  const auto& names = objects.yolo.names;
  const auto person = std::ranges::find(names, "person");
  if (objects.classes.empty() && person != names.end()) {
    objects.classes = {static_cast<int32_t>(person - names.begin())};
  } else if (objects.classes.empty() && names.empty() && classes == kCocoClasses) {
    objects.classes = {0};
  } else if (objects.classes.empty()) {
    for (int32_t c = 0; c < classes; ++c) objects.classes.push_back(c);
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(InputSpec source, picture_input(model, std::nullopt, options.normalization));
  result.output = *objects.yolo.prototypes;
  result.width = objects.yolo.layout.width;
  result.height = objects.yolo.layout.height;
  result.plan_options.inputs = {std::move(source)};
  OutputSpec unused;
  unused.target = OutputSpec::Target::kNone;
  result.plan_options.outputs.assign(model.outputs().size(), unused);
  for (const size_t output : {result.output, objects.yolo.output}) {
    result.plan_options.outputs[output].target = OutputSpec::Target::kBuffer;
  }
  result.objects = std::move(objects);
  return result;
}

constexpr std::pair<const char*, OutputActivation> kActivations[] = {{"none", OutputActivation::kNone},
                                                                     {"sigmoid", OutputActivation::kSigmoid},
                                                                     {"softmax", OutputActivation::kSoftmax}};

// The options, completed by the file next to the model.
Result<MaskModelOptions> complete(const Model& model, const MaskModelOptions& given, size_t frame_input) {
  MaskModelOptions options = given;
  SIGHTGLASS_RETURN_IF_ERROR(apply_notes(given.notes, model, options.normalization, frame_input));
  const auto wrong = [&](const std::string& key, const std::string& expected) {
    return invalid_argument(given.notes.file + ", group [sightglass], " + key + "=" + noted(given.notes, key) +
                            ": expected " + expected);
  };
  if (options.classes.empty()) {
    Result<std::vector<int32_t>> classes = parse_classes(noted(given.notes, "classes"));
    if (!classes.ok()) return wrong("classes", "numbers such as 15 or 1,2");
    options.classes = std::move(classes).value();
  }
  if (const std::string activation = noted(given.notes, "activation"); !activation.empty() && !options.activation) {
    const auto* const found =
        std::ranges::find_if(kActivations, [&](const auto& one) { return one.first == activation; });
    if (found == std::end(kActivations)) return wrong("activation", "none, sigmoid, or softmax");
    options.activation = found->second;
  }
  if (const std::string output = noted(given.notes, "output"); !output.empty() && options.output < 0) {
    const auto named = std::ranges::find(model.outputs(), output, &TensorInfo::name);
    const auto [end, error] = std::from_chars(output.data(), output.data() + output.size(), options.output);
    if (named != model.outputs().end()) options.output = static_cast<int32_t>(named - model.outputs().begin());
    const bool is_number = error == std::errc{} && end == output.data() + output.size() && options.output >= 0;
    if (named == model.outputs().end() && !is_number) return wrong("output", "the name or index of an output");
  }
  return options;
}

Result<MaskModel> describe_segmenter(const Model& model, const std::optional<KnownModel>& published,
                                     const MaskModelOptions& given) {
  const std::string& name = model.name();
  InputRoles roles;
  if (model.inputs().size() > 1) {
    SIGHTGLASS_ASSIGN_OR_RETURN(roles, find_roles(model));
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const MaskModelOptions options, complete(model, given, roles.frame));
  if (options.output < 0 && !published) {
    if (std::optional<YoloModel> yolo = find_objects(model)) {
      return describe_objects(model, std::move(*yolo), options);
    }
    if (has_rotated_boxes(model)) return unsupported(name + ": " + kRotatedBoxes);
  }
  // Checked before the output, so that a model without an image input gets this error first.
  SIGHTGLASS_ASSIGN_OR_RETURN(InputSpec source, picture_input_at(roles.frame, model, published, options.normalization));
  SIGHTGLASS_ASSIGN_OR_RETURN(const size_t output, choose_output(model, roles, options.output));
  const TensorInfo& input = model.inputs()[roles.frame];
  SIGHTGLASS_RETURN_IF_ERROR(check_order(model, input, output));
  const TensorInfo& mask = model.outputs()[output];
  const int32_t channels = is_class_map(model, output) ? kMaxMaskClasses : is_map(mask) ? 1 : mask.shape.dim(3);
  const std::optional<KnownModel> known = published ? published : guess_mask_model(input, mask);
  std::vector<int32_t> classes = options.classes;
  if (classes.empty() && known) {
    SIGHTGLASS_ASSIGN_OR_RETURN(classes, parse_classes(known->classes));
  }
  for (const int32_t channel : options.classes) {
    if (channel >= channels) {
      return invalid_argument(name + ": classes names channel " + std::to_string(channel) + ", but output " +
                              describe(mask) + " has channels 0 to " + std::to_string(channels - 1));
    }
  }

  OutputSpec spec;
  spec.target = OutputSpec::Target::kTexture;
  spec.conversion = OutputSpec::Conversion::kProbability;
  spec.format = TextureFormat::kRgba8;
  spec.classes = std::move(classes);
  if (options.activation) {
    spec.activation = *options.activation;
  } else {
    const ToProbability map = to_probability(model.output_range(output), channels);
    spec.scale = map.scale;
    spec.offset = map.offset;
    spec.activation = map.activation;
  }
  if (!published && known) {
    SIGHTGLASS_ASSIGN_OR_RETURN(source, picture_input_at(roles.frame, model, known, options.normalization));
  }

  MaskModel result;
  result.output = output;
  result.height = input.shape.dim(1);
  result.width = input.shape.dim(2);
  result.previous_mask = known && known->previous_mask && input.shape.dim(3) == 4;
  if (known) result.defaults = known->masks;
  result.classes = class_layout(model, output, spec, options.classes, known);
  if (result.classes) spec.target = OutputSpec::Target::kBuffer;
  result.frame_input = roles.frame;
  result.ratio_input = roles.ratio;
  result.recurrent = !roles.states.empty();
  result.plan_options.inputs.resize(model.inputs().size());
  result.plan_options.inputs[roles.frame] = std::move(source);
  for (const auto& [state, before] : roles.states) {
    result.plan_options.inputs[state].source = InputSpec::Source::kPrevious;
    result.plan_options.inputs[state].previous = before;
  }
  result.plan_options.outputs.resize(model.outputs().size());
  if (result.recurrent) {  // such as the colors of a matte
    for (OutputSpec& other : result.plan_options.outputs) other.target = OutputSpec::Target::kNone;
  }
  result.plan_options.outputs[output] = std::move(spec);
  return result;
}

}  // namespace

float downsample_ratio(const MaskModel& model) {
  constexpr float kMost = 512;
  return std::min(kMost / static_cast<float>(std::max(model.width, model.height)), 1.0F);
}

Result<std::vector<int32_t>> parse_classes(const std::string& text) {
  std::vector<int32_t> classes;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto skip_spaces = [&] {
    while (at != end && *at == ' ') ++at;
  };
  skip_spaces();
  bool more = at != end;
  while (more) {
    int32_t value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    at = next;
    skip_spaces();
    more = at != end && *at == ',';
    if (error != std::errc{} || value < 0 || (at != end && !more)) {
      return invalid_argument("classes=\"" + text + "\" is no list of channel numbers such as \"15\" or \"1,2\"");
    }
    classes.push_back(value);
    if (more) ++at;
    skip_spaces();
  }
  return classes;
}

Result<MaskModel> describe_mask_model(const Model& model, const std::optional<KnownModel>& known,
                                      const MaskModelOptions& options) {
  Result<MaskModel> mask = describe_segmenter(model, known, options);
  if (mask.ok() || !known || known->task == Task::kSegmentation) return mask;
  return unsupported(mask.status().message() + "; this is " + known->title + ", a model for " + to_string(known->task));
}

}  // namespace sightglass
