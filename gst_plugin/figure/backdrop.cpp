#include "figure/backdrop.h"

#include <deque>

#include "figure/appearance.h"

namespace sightglass::figure {

namespace {

class Painter {
 public:
  Painter(uint32_t seed, double seconds, float aspect, std::array<float, 2> pan)
      : random_(seed, Stream::kBackdrop), seed_(seed), seconds_(seconds), aspect_(aspect), pan_(pan) {}

  Backdrop paint() {
    const int kind = random_.pick({4, 1.6F, 1.8F, 1.5F, 0.9F, 1.7F, 2.2F});
    wall(kind);
    switch (kind) {
      case 0:
        furnish(random_.below(7) + 1);
        break;
      case 1:
        shelves();
        furnish(random_.below(3));
        break;
      case 2:
        window(random_.range(-0.7F, 0.7F) * aspect_, random_.range(0.4F, 1.1F));
        furnish(random_.below(4));
        break;
      case 3:
        office();
        break;
      case 4:
        break;
      case 5:
        outdoors();
        break;
      default:
        clutter(random_.below(28) + 8);
        break;
    }
    if (kind != 6 && random_.chance(0.3F)) clutter(random_.below(8) + 1);
    if (random_.chance(0.25F)) glow();
    if (random_.chance(0.25F)) passer_by();
    backdrop_.blur = random_.pick({4, 3, 2}) == 0 ? 0 : random_.range(0.004F, 0.09F);
    cards_.resize(std::min(cards_.size(), Backdrop::kMostCards));
    backdrop_.far.assign(cards_.begin(), cards_.end());
    return std::move(backdrop_);
  }

 private:
  Card& add(float x, float y, float half_width, float half_height, Shape shape = Shape::kBox) {
    Card& card = cards_.emplace_back();
    card.place = {x + pan_[0] * depth_, y + pan_[1] * depth_, half_width, half_height};
    card.shape = static_cast<float>(shape);
    card.a = card.b = color();
    card.detail = {4, 4, random_.range(0, 100), random_.range(0, 0.5F)};
    return card;
  }
  static void turn(Card& card, float degrees) {
    card.turn[0] = std::cos(radians(degrees));
    card.turn[1] = std::sin(radians(degrees));
  }
  static void texture(Card& card, Texture texture, float x, float y) {
    card.texture = static_cast<float>(texture);
    card.detail[0] = x;
    card.detail[1] = y;
  }
  // Objects also have colors of skin and hair, so that color is not enough to recognize people.
  Color color() { return random_.chance(0.16F) ? skin_color(random_) * random_.range(0.6F, 1) : any_color(random_); }
  Color muted() {
    const float value = random_.range(0.3F, 0.95F);
    return mix(Color{value, value, value}, color(), random_.range(0.05F, 0.4F));
  }
  Color shade(Color base, float factor) {
    return {std::clamp(base.x * factor, 0.0F, 1.0F), std::clamp(base.y * factor, 0.0F, 1.0F),
            std::clamp(base.z * factor, 0.0F, 1.0F)};
  }
  Texture any_texture() { return static_cast<Texture>(random_.below(13)); }

  void wall(int kind) {
    depth_ = 0.6F;
    Card& base = add(0, 0, aspect_ * 2.2F, 2.2F);
    base.a = muted();
    base.b = shade(base.a, random_.range(0.75F, 1.1F));
    if (kind == 5) return;
    const int finish = random_.pick({4, 2, 1, 1, 1, 1, 0.6F, 0.6F});
    const float scale = random_.range(2, 9);
    static constexpr Texture kFinishes[] = {Texture::kPlain, Texture::kNoise, Texture::kBricks,  Texture::kStripes,
                                            Texture::kWood,  Texture::kTiles, Texture::kPicture, Texture::kFolds};
    texture(base, kFinishes[finish], scale, scale * random_.range(0.8F, 1.6F));
    if (finish == 3) base.detail[1] = 0;
    if (random_.chance(0.35F)) {  // another wall around the corner, or the floor
      Card& other =
          add(random_.chance(0.5F) ? aspect_ * 2 : -aspect_ * 2, 0, aspect_ * random_.range(1.1F, 1.9F), 2.2F);
      other.a = shade(base.a, random_.range(0.6F, 0.95F));
      other.b = shade(base.b, random_.range(0.6F, 0.95F));
    }
    if (random_.chance(0.35F)) {
      Card& floor = add(0, -2, aspect_ * 2.2F, random_.range(0.9F, 1.5F));
      floor.a = muted();
      floor.b = shade(floor.a, random_.range(0.6F, 0.9F));
      texture(floor, random_.chance(0.5F) ? Texture::kWood : Texture::kNoise, 3, 8);
    }
  }

  void furnish(int count) {
    for (int i = 0; i < count; ++i) {
      const float x = random_.range(-1, 1) * aspect_;
      switch (random_.pick({2, 2, 1.5F, 1.5F, 1.2F, 1.2F, 1, 0.8F, 1})) {
        case 0:
          picture(x, random_.range(0, 0.9F));
          break;
        case 1:
          plant(x, random_.range(-1, 0.2F));
          break;
        case 2:
          cabinet(x);
          break;
        case 3:
          lamp(x);
          break;
        case 4:
          door(x);
          break;
        case 5:
          sofa(x);
          break;
        case 6:
          window(x, random_.range(0.2F, 0.6F));
          break;
        case 7:
          rack(x);
          break;
        default:
          shelf(x, random_.range(-0.2F, 0.8F), random_.range(0.2F, 0.7F));
          break;
      }
    }
  }

  // A frame of thin bars.
  void rack(float x) {
    const Color paint = shade(color(), random_.range(0.2F, 0.8F));
    const float w = random_.range(0.15F, 0.5F), thin = random_.range(0.008F, 0.025F);
    const auto bar = [&](float dx, float y, float half_width, float half_height, float degrees) {
      Card& card = add(x + dx, y, half_width, half_height);
      card.a = card.b = paint;
      turn(card, degrees);
    };
    bar(-w, 0, thin, 1.4F, 0);
    bar(w, 0, thin, 1.4F, 0);
    for (int i = 0; i < 5; ++i) {
      const float y = -0.9F + 0.45F * static_cast<float>(i);
      bar(0, y, w, thin, 0);
      bar(0, y + 0.22F, std::sqrt(w * w + 0.05F), thin * 0.7F, random_.chance(0.5F) ? 30.0F : -30.0F);
    }
  }

  void picture(float x, float y) {
    const float w = random_.range(0.12F, 0.45F), h = w * random_.range(0.6F, 1.6F);
    Card& frame = add(x, y, w, h);
    frame.a = frame.b = shade(muted(), random_.range(0.2F, 1));
    Card& inside = add(x, y, w * random_.range(0.75F, 0.93F), h * random_.range(0.75F, 0.93F));
    inside.b = color();
    texture(inside, random_.chance(0.6F) ? Texture::kPicture : any_texture(), random_.range(2, 8), random_.range(2, 8));
  }

  void plant(float x, float y) {
    const Color green =
        mix(Color{0.16F, 0.32F, 0.12F}, Color{0.45F, 0.55F, 0.2F}, random_.unit()) * random_.range(0.6F, 1.2F);
    const float size = random_.range(0.3F, 0.9F);
    add(x, y - size * 0.2F, size * 0.2F, size * 0.25F).turn[2] = 0.05F;
    const int leaves = 5 + random_.below(9);
    const float sway = 4 * wander(seed_, Stream::kClutter, 5, seconds_, 0.5);
    for (int i = 0; i < leaves; ++i) {
      const float angle = random_.range(15, 165) + sway, reach = size * random_.range(0.3F, 0.7F);
      Card& leaf = add(x + reach * std::cos(radians(angle)), y + reach * std::sin(radians(angle)),
                       size * random_.range(0.25F, 0.5F), size * random_.range(0.05F, 0.13F), Shape::kLeaf);
      leaf.a = shade(green, random_.range(0.6F, 1.3F));
      leaf.b = shade(leaf.a, 0.7F);
      turn(leaf, angle + random_.range(-20, 20));
    }
  }

  void cabinet(float x) {
    const float w = random_.range(0.25F, 0.7F), h = random_.range(0.3F, 1.2F), y = -1 + h * random_.range(0.4F, 1);
    Card& box = add(x, y, w, h);
    box.b = shade(box.a, 0.85F);
    texture(box, random_.chance(0.5F) ? Texture::kWood : Texture::kPlain, 2, 6);
    const Color base = box.a;
    const int doors = 1 + random_.below(4);
    for (int i = 0; i < doors; ++i) {
      const float dw = w / static_cast<float>(doors);
      Card& panel = add(x - w + dw * (2 * static_cast<float>(i) + 1), y, dw * 0.9F, h * 0.92F);
      panel.a = panel.b = shade(base, random_.range(0.8F, 1.15F));
      add(panel.place[0] - pan_[0] * depth_ + dw * 0.6F, y, 0.012F, 0.05F);
    }
  }

  void lamp(float x) {
    const float y = random_.range(-0.1F, 0.7F), size = random_.range(0.12F, 0.25F);
    add(x, y - 0.8F, 0.02F, 0.8F).a = {0.2F, 0.18F, 0.16F};
    Card& light = add(x, y, size * 4, size * 4, Shape::kGlow);
    light.a = light.b = {1, 0.85F, 0.6F};
    Card& shade_card = add(x, y, size, size * 0.8F);
    shade_card.a = {1, 0.93F, 0.78F};
    shade_card.b = {0.95F, 0.8F, 0.55F};
    shade_card.turn[2] = size * 0.3F;
  }

  void door(float x) {
    const float w = random_.range(0.3F, 0.5F);
    Card& frame = add(x, -0.2F, w * 1.1F, 1.15F);
    frame.a = frame.b = muted();
    Card& leaf = add(x, -0.25F, w, 1.13F);
    leaf.a = muted();
    leaf.b = shade(leaf.a, 0.9F);
    texture(leaf, random_.chance(0.4F) ? Texture::kWood : Texture::kPlain, 1, 5);
    add(x + w * 0.8F, -0.35F, 0.05F, 0.015F);
  }

  void sofa(float x) {
    const Color cloth = color();
    const float w = random_.range(0.5F, 1.1F), y = random_.range(-0.9F, -0.4F);
    const auto part = [&](float dx, float dy, float pw, float ph, float factor) {
      Card& card = add(x + dx, y + dy, pw, ph);
      card.a = shade(cloth, factor);
      card.b = shade(cloth, factor * 0.8F);
      card.turn[2] = 0.12F;
      texture(card, Texture::kNoise, 9, 9);
    };
    part(0, 0.1F, w, 0.4F, 0.9F);
    part(-w * 0.5F, 0.12F, w * 0.46F, 0.34F, 1);
    part(w * 0.5F, 0.12F, w * 0.46F, 0.34F, 1.03F);
    part(-w, -0.1F, 0.14F, 0.35F, 0.8F);
    part(w, -0.1F, 0.14F, 0.35F, 0.8F);
    if (random_.chance(0.7F)) {
      Card& cushion = add(x + random_.range(-0.5F, 0.5F) * w, y + 0.15F, 0.2F, 0.2F);
      cushion.turn[2] = 0.07F;
      texture(cushion, any_texture(), 8, 8);
    }
  }

  void shelf(float x, float y, float w) {
    const float h = random_.range(0.09F, 0.16F);
    Card& books = add(x, y + h, w * random_.range(0.5F, 1), h);
    texture(books, Texture::kBooks, random_.range(14, 34), 1);
    Card& board = add(x, y - 0.012F, w, 0.016F);
    board.b = shade(board.a, 0.7F);
    if (random_.chance(0.6F)) {
      Card& vase = add(x + w * random_.range(-0.9F, 0.9F), y + 0.09F, random_.range(0.03F, 0.08F), 0.09F,
                       random_.chance(0.5F) ? Shape::kEllipse : Shape::kBox);
      vase.turn[2] = 0.02F;
    }
  }

  void shelves() {
    const float w = aspect_ * random_.range(0.4F, 1.1F), x = random_.range(-0.6F, 0.6F) * aspect_;
    const Color wood = muted() * random_.range(0.4F, 1);
    Card& back = add(x, 0, w, 1.3F);
    back.a = shade(wood, 0.55F);
    back.b = shade(wood, 0.45F);
    const float step = random_.range(0.3F, 0.5F);
    for (int row = 0; static_cast<float>(row) * step < 2.3F; ++row) {
      const float y = -1.2F + step * static_cast<float>(row);
      const int groups = 1 + random_.below(3);
      for (int i = 0; i < groups; ++i) {
        const float h = step * random_.range(0.3F, 0.42F), gw = w / static_cast<float>(groups);
        Card& books = add(x - w + gw * (2 * static_cast<float>(i) + 1), y + h, gw * random_.range(0.5F, 0.97F), h);
        if (random_.chance(0.75F)) {
          texture(books, Texture::kBooks, random_.range(12, 30), 1);
        } else {
          books.place[2] *= 0.4F;
          texture(books, any_texture(), 5, 5);
        }
      }
      Card& board = add(x, y - 0.02F, w, 0.025F);
      board.a = wood;
      board.b = shade(wood, 0.7F);
    }
    for (int i = 0; i <= 2; ++i) add(x + w * static_cast<float>(i - 1), 0, 0.025F, 1.3F).a = wood;
  }

  void window(float x, float w) {
    const float h = random_.range(0.5F, 1.1F), y = random_.range(-0.1F, 0.4F);
    Card& frame = add(x, y, w + 0.05F, h + 0.05F);
    frame.a = frame.b = shade(muted(), 1.1F);
    Card& sky = add(x, y, w, h);
    const bool night = random_.chance(0.2F);
    sky.a = night ? Color{0.05F, 0.06F, 0.12F} : mix(Color{0.75F, 0.85F, 0.97F}, Color{1, 1, 1}, random_.unit());
    sky.b = night ? Color{0.1F, 0.1F, 0.14F} : Color{0.93F, 0.95F, 0.97F};
    if (random_.chance(0.5F)) {
      Card& trees = add(x, y - h * 0.6F, w, h * 0.4F);
      trees.a = night ? Color{0.05F, 0.07F, 0.06F} : Color{0.4F, 0.5F, 0.3F};
      trees.b = shade(trees.a, 0.6F);
      texture(trees, Texture::kFoliage, 6, 6);
    }
    if (random_.chance(0.35F)) {
      Card& blinds = add(x, y + h * 0.4F, w, h * 0.6F);
      blinds.a = {0.92F, 0.9F, 0.86F};
      blinds.b = {0.6F, 0.58F, 0.55F};
      texture(blinds, Texture::kBlinds, 0, random_.range(12, 25));
    }
    const int bars = random_.below(4);
    for (int i = 1; i <= bars; ++i) {
      add(x - w + 2 * w * static_cast<float>(i) / static_cast<float>(bars + 1), y, 0.02F, h).a = frame_color();
    }
    if (random_.chance(0.5F)) add(x, y, w, 0.018F).a = frame_color();
    if (random_.chance(0.55F)) {
      const Color cloth = color();
      for (const float s : {-1.0F, 1.0F}) {
        Card& curtain = add(x + s * w, y - 0.1F, w * random_.range(0.2F, 0.45F), h + 0.3F);
        curtain.a = cloth;
        curtain.b = shade(cloth, 0.6F);
        texture(curtain, Texture::kFolds, random_.range(7, 16), 0.3F);
      }
    }
  }
  Color frame_color() { return shade(Color{0.9F, 0.9F, 0.88F}, random_.range(0.3F, 1)); }

  void office() {
    if (random_.chance(0.5F)) window(random_.range(-1, 1) * aspect_, random_.range(0.5F, 1.2F));
    if (random_.chance(0.5F)) {
      Card& board = add(random_.range(-0.8F, 0.8F) * aspect_, random_.range(0.1F, 0.6F), random_.range(0.4F, 0.9F),
                        random_.range(0.3F, 0.55F));
      board.a = {0.94F, 0.95F, 0.95F};
      board.b = {0.3F, 0.3F, 0.5F};
      texture(board, Texture::kPicture, 3, 9);
    }
    const int screens = random_.below(4);
    for (int i = 0; i < screens; ++i) {
      const float x = random_.range(-1, 1) * aspect_, y = random_.range(-0.6F, 0.1F), w = random_.range(0.2F, 0.4F);
      add(x, y, w, w * 0.62F).a = {0.06F, 0.06F, 0.07F};
      Card& lit = add(x, y + 0.01F, w * 0.95F, w * 0.55F);
      lit.b = color();
      const float flicker = 0.8F + 0.2F * wander(seed_, Stream::kClutter, 40 + static_cast<uint32_t>(i), seconds_, 3);
      lit.a = shade(lit.a, flicker);
      texture(lit, any_texture(), 5, 5);
      add(x, y - w * 0.75F, 0.03F, w * 0.2F).a = {0.1F, 0.1F, 0.1F};
    }
    Card& desk = add(random_.range(-0.5F, 0.5F) * aspect_, -0.95F, aspect_, 0.2F);
    desk.b = shade(desk.a, 0.8F);
    texture(desk, Texture::kWood, 2, 6);
    furnish(random_.below(4));
  }

  void outdoors() {
    Card& sky = add(0, 0.6F, aspect_ * 2.2F, 1.6F);
    sky.a = mix(Color{0.35F, 0.55F, 0.85F}, Color{0.92F, 0.93F, 0.95F}, random_.unit());
    sky.b = mix(sky.a, Color{1, 0.95F, 0.9F}, random_.unit());
    if (random_.chance(0.5F)) texture(sky, Texture::kNoise, 1.2F, 2);
    const float horizon = random_.range(-0.7F, 0.2F);
    if (random_.chance(0.5F)) {
      for (int i = random_.below(7) + 2; i > 0; --i) {
        const float w = random_.range(0.2F, 0.6F), h = random_.range(0.3F, 1.3F);
        Card& house = add(random_.range(-1.3F, 1.3F) * aspect_, horizon + h * 0.5F, w, h);
        house.a = muted();
        house.b = shade(house.a, 0.4F);
        texture(house, random_.chance(0.7F) ? Texture::kTiles : Texture::kBricks, random_.range(4, 10),
                random_.range(4, 10));
      }
    }
    const Color green = mix(Color{0.15F, 0.25F, 0.1F}, Color{0.45F, 0.5F, 0.25F}, random_.unit());
    for (int i = random_.below(8); i > 0; --i) {
      const float r = random_.range(0.25F, 0.8F);
      Card& tree = add(random_.range(-1.3F, 1.3F) * aspect_, horizon + random_.range(0, 0.7F), r,
                       r * random_.range(0.7F, 1.3F), Shape::kEllipse);
      tree.a = shade(green, random_.range(0.7F, 1.3F));
      tree.b = shade(green, random_.range(0.3F, 0.6F));
      tree.turn[3] = 0.05F;
      texture(tree, Texture::kFoliage, random_.range(5, 12), random_.range(5, 12));
    }
    if (random_.chance(0.25F)) {  // water
      Card& sea = add(0, horizon, aspect_ * 2.2F, random_.range(0.1F, 0.35F));
      sea.a = mix(Color{0.1F, 0.3F, 0.5F}, Color{0.3F, 0.65F, 0.65F}, random_.unit());
      sea.b = shade(sea.a, 1.3F);
      texture(sea, Texture::kNoise, 1.5F, 14);
    }
    Card& ground = add(0, horizon - 1, aspect_ * 2.2F, 1);
    ground.a = random_.chance(0.5F) ? green : muted();
    ground.b = shade(ground.a, random_.range(0.5F, 0.9F));
    texture(ground, random_.chance(0.6F) ? Texture::kNoise : Texture::kTiles, random_.range(3, 12),
            random_.range(8, 20));
  }

  void clutter(int count) {
    for (int i = 0; i < count; ++i) {
      depth_ = random_.range(0.5F, 1);
      const float size = random_.range(0.04F, 0.5F);
      const float drift = random_.chance(0.3F)
                              ? 0.15F * wander(seed_, Stream::kClutter, 60 + static_cast<uint32_t>(i), seconds_, 0.4)
                              : 0;
      Card& thing = add(random_.range(-1.1F, 1.1F) * aspect_ + drift, random_.range(-1.1F, 1.1F), size,
                        size * random_.range(0.3F, 2), static_cast<Shape>(random_.pick({4, 3, 1})));
      thing.b = random_.chance(0.5F) ? shade(thing.a, random_.range(0.5F, 1)) : color();
      thing.turn[2] = random_.chance(0.5F) ? size * random_.range(0, 0.5F) : 0;
      if (random_.chance(0.5F)) turn(thing, random_.range(-90, 90));
      texture(thing, random_.chance(0.35F) ? Texture::kPlain : any_texture(), random_.range(2, 14),
              random_.range(2, 14));
    }
  }

  void glow() {
    for (int i = random_.below(6); i >= 0; --i) {
      Card& light = add(random_.range(-1.2F, 1.2F) * aspect_, random_.range(-0.8F, 1.1F), 0, 0, Shape::kGlow);
      light.place[2] = light.place[3] = random_.range(0.1F, 0.9F);
      light.a = mix(Color{1, 0.9F, 0.7F}, color(), random_.range(0, 0.6F));
      light.b = light.a;
    }
  }

  // An object that crosses the frame behind the figure.
  void passer_by() {
    const float speed = random_.range(0.2F, 0.7F) * (random_.chance(0.5F) ? 1.0F : -1.0F);
    const float span = aspect_ * 3.2F;
    const double place = std::fmod(seconds_ * speed + 1000.0 * span + random_.unit() * span, static_cast<double>(span));
    const float x = static_cast<float>(place) - span / 2, size = random_.range(0.15F, 0.45F);
    Card& thing = add(x, random_.range(-0.8F, 0.4F), size, size * random_.range(0.6F, 1.6F));
    thing.b = color();
    thing.turn[2] = size * random_.range(0, 0.5F);
    texture(thing, any_texture(), 6, 6);
  }

  Random random_;
  const uint32_t seed_;
  const double seconds_;
  const float aspect_;
  const std::array<float, 2> pan_;
  float depth_ = 0.6F;
  std::deque<Card> cards_;  // a deque, because references to its cards must stay valid
  Backdrop backdrop_;
};

}  // namespace

Backdrop Backdrop::of(uint32_t seed, double seconds, float aspect, std::array<float, 2> pan) {
  return Painter(seed, seconds, aspect, pan).paint();
}

}  // namespace sightglass::figure
