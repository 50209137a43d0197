#include "draw/font.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sightglass::font {

namespace {

// The strokes of each character, separated by spaces: polylines of points, two digits each, x in 0…4 to the right and y
// in 0…8 down; 0 is the top of capitals, 2 that of small letters, 6 the base line. One point is a dot. A stroke that
// begins with ~ is a curve, rounded at all of its points but its ends.
constexpr std::array<std::string_view, kCharacters> kStrokes = {
    "",                                         // space
    "2024 26",                                  // !
    "1012 3032",                                // "
    "1016 3036 0242 0444",                      // #
    "~413010010213334445361605 2026",           // $
    "4006 ~1021120110 ~3445362534",             // %
    "~4612112031220405162644",                  // &
    "2022",                                     // '
    "~30121436",                                // (
    "~10323416",                                // )
    "2024 0143 0341",                           // *
    "2125 0343",                                // +
    "2617",                                     // ,
    "1333",                                     // -
    "26",                                       // .
    "4006",                                     // /
    "~103041453616050110",                      // 0
    "112026 1636",                              // 1
    "~011030414206 0646",                       // 2
    "~01103041423323 ~23334445361605",          // 3
    "36300444",                                 // 4
    "400003 ~0312324345361605",                 // 5
    "~413010010516364544331304",                // 6
    "004016",                                   // 7
    "~103041423313020110 ~133344453616050413",  // 8
    "~051636454130100102133342",                // 9
    "22 26",                                    // :
    "22 2617",                                  // ;
    "410345",                                   // <
    "0242 0444",                                // =
    "014305",                                   // >
    "~01103041422324 26",                       // ?
    "~4616050110304143342413223234",            // @
    "062046 1434",                              // A
    "0006 ~003041423303 ~033344453606",         // B
    "~4130100105163645",                        // C
    "0006 ~002042442606",                       // D
    "40000646 0333",                            // E
    "400006 0333",                              // F
    "~4130100105163645 454323",                 // G
    "0006 4046 0343",                           // H
    "2026 1030 1636",                           // I
    "~4045361605",                              // J
    "0006 4004 1346",                           // K
    "000646",                                   // L
    "0600234046",                               // M
    "06004640",                                 // N
    "~103041453616050110",                      // O
    "0600 ~003041423303",                       // P
    "~103041453616050110 2446",                 // Q
    "0600 ~003041423303 2346",                  // R
    "~413010010213334445361605",                // S
    "0040 2026",                                // T
    "~000516364540",                            // U
    "002640",                                   // V
    "0016223640",                               // W
    "0046 4006",                                // X
    "002340 2326",                              // Y
    "00400646",                                 // Z
    "30101636",                                 // [
    "0046",                                     // backslash
    "10303616",                                 // ]
    "022042",                                   // ^
    "0747",                                     // _
    "1021",                                     // `
    "4246 ~4332120305163645",                   // a
    "0006 ~0312324345361605",                   // b
    "~4332120305163645",                        // c
    "4046 ~4332120305163645",                   // d
    "0444 ~444332120305163645",                 // e
    "~40302126 0242",                           // f
    "~4247381807 ~4332120305163645",            // g
    "0006 ~0312324346",                         // h
    "2226 20",                                  // i
    "~32372818 30",                             // j
    "0006 4205 1446",                           // k
    "~20252636",                                // l
    "0206 ~03122326 ~23324346",                 // m
    "0206 ~0312324346",                         // n
    "~123243453616050312",                      // o
    "0208 ~0312324345361605",                   // p
    "4248 ~4332120305163645",                   // q
    "0206 ~04123243",                           // r
    "~43321203143445361605",                    // s
    "~10152636 0232",                           // t
    "~0205163645 4246",                         // u
    "022642",                                   // v
    "0216233642",                               // w
    "0246 4206",                                // x
    "0226 4218",                                // y
    "02420646",                                 // z
    "~30212213242536",                          // {
    "2027",                                     // |
    "~10212233242516",                          // }
    "~03123443",                                // ~
};

struct Point {
  float x = 0, y = 0;
  bool operator==(const Point&) const = default;
};
using Line = std::vector<Point>;

// Chaikin's algorithm: every corner is cut at a quarter of both of its sides.
Line cut_corners(const Line& line) {
  const bool closed = line.front() == line.back();
  const auto between = [](const Point& a, const Point& b, float share) {
    return Point{a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share};
  };
  Line cut;
  if (!closed) cut.push_back(line.front());
  for (size_t i = 0; i + 1 < line.size(); ++i) {
    cut.push_back(between(line[i], line[i + 1], 0.25F));
    cut.push_back(between(line[i], line[i + 1], 0.75F));
  }
  cut.push_back(closed ? cut.front() : line.back());
  return cut;
}

std::vector<Line> lines_of(std::string_view strokes) {
  constexpr int kCuts = 2;
  std::vector<Line> lines;
  while (!strokes.empty()) {
    std::string_view stroke = strokes.substr(0, strokes.find(' '));
    strokes.remove_prefix(std::min(stroke.size() + 1, strokes.size()));
    const bool curved = stroke.starts_with('~');
    if (curved) stroke.remove_prefix(1);
    Line line;
    for (size_t i = 0; i + 1 < stroke.size(); i += 2) {
      line.push_back({static_cast<float>(stroke[i] - '0'), static_cast<float>(stroke[i + 1] - '0')});
    }
    for (int i = 0; curved && i < kCuts; ++i) line = cut_corners(line);
    lines.push_back(std::move(line));
  }
  return lines;
}

float distance(const Point& place, const Point& a, const Point& b) {
  const float x = b.x - a.x, y = b.y - a.y, squared = x * x + y * y;
  const float along = (place.x - a.x) * x + (place.y - a.y) * y;
  const float share = squared > 0 ? std::clamp(along / squared, 0.0F, 1.0F) : 0.0F;
  return std::hypot(place.x - a.x - x * share, place.y - a.y - y * share);
}

float distance(const Point& place, const std::vector<Line>& lines) {
  float nearest = kReach;
  for (const Line& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) {
      nearest = std::min(nearest, distance(place, line[i], line[std::min(i + 1, line.size() - 1)]));
    }
  }
  return nearest;
}

std::vector<uint8_t> compute() {
  // A cell's margin around the grid of strokes.
  constexpr Point kMargin{1, 2};
  constexpr int kCellTexels[] = {kWidth / kColumns, kHeight / kRows};
  std::vector<uint8_t> texels(static_cast<size_t>(kWidth) * kHeight, 255);
  for (int character = 0; character < kCharacters; ++character) {
    const std::vector<Line> lines = lines_of(kStrokes[static_cast<size_t>(character)]);
    const int left = character % kColumns * kCellTexels[0], top = character / kColumns * kCellTexels[1];
    for (int y = 0; y < kCellTexels[1]; ++y) {
      for (int x = 0; x < kCellTexels[0]; ++x) {
        const auto unit = [](int texel) { return (static_cast<float>(texel) + 0.5F) / kTexelsPerUnit; };
        const float d = distance({unit(x) - kMargin.x, unit(y) - kMargin.y}, lines);
        texels[static_cast<size_t>(top + y) * kWidth + static_cast<size_t>(left + x)] =
            static_cast<uint8_t>(std::lround(127.5F + 127.5F * d / kReach));
      }
    }
  }
  return texels;
}

}  // namespace

const std::vector<uint8_t>& texels() {
  static const std::vector<uint8_t> all = compute();
  return all;
}

std::vector<uint8_t> glyphs_of(std::string_view utf8) {
  std::vector<uint8_t> glyphs;
  for (const char c : utf8) {
    const auto byte = static_cast<uint8_t>(c);
    if ((byte & 0xC0U) == 0x80U) continue;  // the rest of a character whose first byte was seen
    const bool known = byte >= kFirst && byte < kFirst + kCharacters;
    glyphs.push_back(static_cast<uint8_t>((known ? byte : static_cast<uint8_t>('?')) - kFirst));
  }
  return glyphs;
}

}  // namespace sightglass::font
