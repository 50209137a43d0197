// Vector arithmetic for the figure. In meters; x to the left of the figure, y up, z to its front.
#pragma once

#include <algorithm>
#include <cmath>

namespace sightglass::figure {

constexpr float kPi = 3.14159265F;
constexpr float radians(float degrees) { return degrees * (kPi / 180); }

struct Vec3 {
  float x = 0, y = 0, z = 0;
  friend Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Vec3 operator*(Vec3 a, float s) { return {a.x * s, a.y * s, a.z * s}; }
  friend Vec3 operator*(float s, Vec3 a) { return a * s; }
  bool operator==(const Vec3&) const = default;
};

inline float dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec3 cross(Vec3 a, Vec3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
inline float length(Vec3 a) { return std::sqrt(dot(a, a)); }
inline Vec3 normalize(Vec3 a) { return a * (1 / std::max(length(a), 1e-12F)); }
inline float mix(float a, float b, float t) { return a + (b - a) * t; }
inline Vec3 mix(Vec3 a, Vec3 b, float t) { return a + (b - a) * t; }
inline float smoothstep(float low, float high, float x) {
  const float t = std::clamp((x - low) / (high - low), 0.0F, 1.0F);
  return t * t * (3 - 2 * t);
}

// The columns are the images of the axes.
struct Mat3 {
  Vec3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  friend Vec3 operator*(const Mat3& m, Vec3 v) { return m.x * v.x + m.y * v.y + m.z * v.z; }
  friend Mat3 operator*(const Mat3& a, const Mat3& b) { return {a * b.x, a * b.y, a * b.z}; }
};

// The inverse, if the matrix is a rotation.
inline Vec3 transposed(const Mat3& m, Vec3 v) { return {dot(m.x, v), dot(m.y, v), dot(m.z, v)}; }
// Right-handed rotations about the axes, in degrees.
inline Mat3 rotate_x(float degrees) {
  const float c = std::cos(radians(degrees)), s = std::sin(radians(degrees));
  return {{1, 0, 0}, {0, c, s}, {0, -s, c}};
}
inline Mat3 rotate_y(float degrees) {
  const float c = std::cos(radians(degrees)), s = std::sin(radians(degrees));
  return {{c, 0, -s}, {0, 1, 0}, {s, 0, c}};
}
inline Mat3 rotate_z(float degrees) {
  const float c = std::cos(radians(degrees)), s = std::sin(radians(degrees));
  return {{c, s, 0}, {-s, c, 0}, {0, 0, 1}};
}

}  // namespace sightglass::figure
