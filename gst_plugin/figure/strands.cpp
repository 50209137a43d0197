#include "figure/strands.h"

#include "figure/random.h"

namespace sightglass::figure {

namespace {

// The surface between a ring and the next one.
struct Patch {
  const Ring* ring;
  const Ring* next;
  float area;
};

std::vector<Patch> patches_of(const Lofts& lofts) {
  std::vector<Patch> patches;
  for (const Lofts::List list : {Lofts::kHair, Lofts::kLocks}) {
    const std::vector<Ring>& rings = lofts.rings(list);
    for (size_t i = 0; i + 1 < rings.size(); ++i) {
      if (rings[i].material < 0) continue;
      const float around = length(rings[i].u) + length(rings[i].v) + length(rings[i + 1].u) + length(rings[i + 1].v);
      patches.push_back({&rings[i], &rings[i + 1], around * length(rings[i + 1].center - rings[i].center)});
    }
  }
  return patches;
}

const Patch& pick(Random& random, const std::vector<Patch>& patches, float area) {
  float rest = random.unit() * area;
  for (const Patch& patch : patches) {
    rest -= patch.area;
    if (rest < 0) return patch;
  }
  return patches.back();
}

Vec3 any_way(Random& random) { return {random.normal(0, 1), random.normal(0, 1), random.normal(0, 1)}; }

}  // namespace

std::vector<Strand> strands_of(const Lofts& lofts, uint32_t seed, const Body& body, const Appearance& appearance,
                               double seconds) {
  const std::vector<Patch> patches = patches_of(lofts);
  float area = 0;
  for (const Patch& patch : patches) area += patch.area;
  std::vector<Strand> strands;
  if (area <= 0) return strands;
  Random random(seed, Stream::kHair, 1);
  const float wild = std::clamp(appearance.curl * 12, 0.2F, 1.0F);  // how far hairs stick out
  const float on_scalp = body.head * (0.3F + 0.6F * std::min(appearance.volume, 0.4F)), hanging = body.head * 0.9F;
  const Vec3 swing{0.25F * wander(seed, Stream::kHair, 11, seconds, 1.1), 0,
                   0.25F * wander(seed, Stream::kHair, 12, seconds, 1.3)};
  for (int i = 0; i < kMostStrands; ++i) {
    const Patch& patch = pick(random, patches, area);
    const float t = random.unit(), angle = random.range(0, 2 * kPi);
    const float c = std::cos(angle), s = std::sin(angle);
    const Vec3 center = mix(patch.ring->center, patch.next->center, t);
    const Vec3 u = mix(patch.ring->u, patch.next->u, t), v = mix(patch.ring->v, patch.next->v, t);
    const Vec3 place = center + u * c + v * s;
    const Vec3 along = patch.next->center - patch.ring->center + (patch.next->u - patch.ring->u) * c +
                       (patch.next->v - patch.ring->v) * s;
    Vec3 out = normalize(cross(v * c - u * s, along));
    if (dot(out, place - center) < 0) out = out * -1;
    const Vec3 down = normalize(Vec3{0, -1, 0} + out * out.y);  // along the surface
    const bool scalp = patch.ring->material == static_cast<float>(Material::kScalp);
    const float reach = (scalp ? on_scalp : hanging) * random.range(0.35F, 1);
    // Separate statements: compilers evaluate the operands of a sum in any order.
    const float outwards = 0.3F + 0.9F * wild * random.unit();
    const Vec3 turn = any_way(random), bend = any_way(random);
    const Vec3 start = normalize(out * outwards + down * 0.8F + turn * 0.3F);
    const Vec3 end = normalize(start * 0.6F + Vec3{0, -0.6F, 0} + bend * (0.25F + 0.5F * wild) + swing);
    Strand& strand = strands.emplace_back();
    strand.root = {place - out * (0.04F * body.head), random.range(0.00004F, 0.00011F)};
    strand.first = {place + start * (0.4F * reach), scalp ? 1.0F : 0.0F};
    strand.second = {strand.first.place + mix(start, end, 0.5F) * (0.3F * reach), random.unit()};
    strand.tip = {strand.second.place + end * (0.35F * reach), 0};
  }
  return strands;
}

}  // namespace sightglass::figure
