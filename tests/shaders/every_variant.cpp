#include "every_variant.h"

#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "detect/shaders.h"
#include "dmabuf_export/shaders.h"
#include "draw/shaders.h"
#include "figure/shaders.h"
#include "gl/shaders.h"
#include "infer/shaders.h"
#include "meta/shaders.h"
#include "ops/ops.h"
#include "pose/shaders.h"
#include "segment/shaders.h"

namespace sightglass::test {

namespace {

// Of the elements, without those that figure_programs() combines.
std::vector<ShaderKey> element_variants() {
  std::vector<ShaderKey> keys;
  for (const auto& variants :
       {gl_shader_variants(), segment_shader_variants(), meta_shader_variants(), pose_shader_variants(),
        export_shader_variants(), detect_shader_variants(), infer_shader_variants(), draw_shader_variants()}) {
    keys.insert(keys.end(), variants.begin(), variants.end());
  }
  return keys;
}

}  // namespace

std::vector<ShaderKey> every_variant() {
  std::vector<ShaderKey> keys = all_shader_variants();
  for (const ShaderKey& key : element_variants()) keys.push_back(key);
  for (const ShaderKey& key : figure::figure_shader_variants()) keys.push_back(key);
  return keys;
}

std::vector<ShaderKey> with_every_pair(const std::vector<ShaderKey>& variants) {
  struct Shader {
    std::map<std::string, uint64_t> undefined;  // a number for each of its defines
    std::unordered_set<uint64_t> seen;          // pairs of numbers
  };
  // Numbers for texts: there are millions of pairs.
  std::unordered_map<std::string, uint64_t> numbers;
  const auto number_of = [&numbers](const std::string& text) {
    return numbers.try_emplace(text, numbers.size()).first->second;
  };
  std::map<std::string, Shader> shaders;
  for (const ShaderKey& key : variants) {
    for (const ShaderDefine& define : key.defines) {
      shaders[key.shader].undefined[define.name] = number_of(define.name + " is undefined");
    }
  }
  std::vector<ShaderKey> chosen;
  for (const ShaderKey& key : variants) {
    Shader& shader = shaders[key.shader];
    std::map<std::string, uint64_t> values = shader.undefined;
    for (const ShaderDefine& define : key.defines) values[define.name] = number_of(define.name + "=" + define.value);
    bool adds = values.size() < 2;
    for (auto a = values.begin(); a != values.end(); ++a) {
      for (auto b = std::next(a); b != values.end(); ++b)
        adds |= shader.seen.insert(a->second << 32 | b->second).second;
    }
    if (adds) chosen.push_back(key);
  }
  return chosen;
}

std::vector<ProgramKey> element_programs() {
  std::vector<ProgramKey> programs = figure::figure_programs();
  programs.push_back(kOverlayProgram);
  for (const ShaderKey& key : element_variants()) {
    if (key.shader.ends_with(".comp")) programs.push_back({key});
    if (key.shader.ends_with(".frag") && key != kOverlayProgram.back()) programs.push_back({kFullscreenShader, key});
  }
  return programs;
}

ShaderSources every_source() { return {engine_shaders(), element_shaders(), figure_shaders()}; }

}  // namespace sightglass::test
