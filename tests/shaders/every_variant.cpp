#include "every_variant.h"

#include <iterator>
#include <map>
#include <set>
#include <string>
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
  std::map<std::string, std::set<std::string>> names;  // of the defines of each shader
  for (const ShaderKey& key : variants) {
    for (const ShaderDefine& define : key.defines) names[key.shader].insert(define.name);
  }
  std::map<std::string, std::set<std::pair<std::string, std::string>>> seen;
  std::vector<ShaderKey> chosen;
  for (const ShaderKey& key : variants) {
    std::map<std::string, std::string> values;
    for (const std::string& name : names[key.shader]) values[name] = name + " is undefined";
    for (const ShaderDefine& define : key.defines) values[define.name] = define.name + "=" + define.value;
    auto& pairs = seen[key.shader];
    bool adds = values.size() < 2;
    for (auto a = values.begin(); a != values.end(); ++a) {
      for (auto b = std::next(a); b != values.end(); ++b) adds |= pairs.emplace(a->second, b->second).second;
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
