#include "chart.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/formatting.h"
#include "comparison.h"

namespace sightglass::bench {

namespace {

using nlohmann::json;

constexpr int kWidth = 1000, kMargin = 20, kLabelWidth = 280, kFigureWidth = 90, kBar = 13, kGap = 10;
constexpr int kLeft = kMargin + kLabelWidth, kBarWidth = kWidth - kLeft - kFigureWidth - kMargin;
constexpr size_t kLabelCharacters = 44, kTitleCharacters = 100;

// Escapes text for XML, and truncates it to `most` characters. Bytes that are not plain ASCII come from model files and
// are untrusted.
std::string xml_text(const std::string& text, size_t most) {
  std::string result;
  size_t count = 0;
  for (const char c : text) {
    if (++count > most) return result + "…";
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '"') {
      result += "&quot;";
    } else {
      result += c >= ' ' && c < 0x7f ? c : '?';
    }
  }
  return result;
}

struct Series {
  std::string name;
  const char* color;
};

// A group has the times of one model. `series` is an index.
struct Bar {
  size_t series;
  double ms;
};
struct Group {
  std::string name;
  std::vector<Bar> bars;
};

struct Chart {
  std::vector<Series> series;
  std::vector<Group> groups;
};

constexpr const char *kRunColor = "#1f77b4", *kRooflineColor = "#4d4d4d", *kTunedColor = "#2a8a3a";
constexpr const char* kPeerColors[] = {"#d1600a", "#7a52a8", "#b4262b", "#7f7a12"};

const json* find_model(const json& models, const std::string& name) {
  const auto found = std::ranges::find_if(models, [&](const json& model) { return model_name(model) == name; });
  return found == models.end() ? nullptr : &*found;
}

Chart read_chart(const json& results, const json& peers) {
  Chart chart{{{"run", kRunColor},
               {"run, after tuning", kTunedColor},
               {"minimum of all steps at the limits of the device", kRooflineColor}},
              {}};
  const size_t first_peer = chart.series.size();
  const json engines = peers.is_object() ? peers.at("engines") : json::array();
  for (const json& engine : engines) {
    const size_t number = chart.series.size() - first_peer;
    chart.series.push_back({engine.at("name").get<std::string>() + ", another machine, with transfers",
                            kPeerColors[number % std::size(kPeerColors)]});
  }
  const json& models = results.at("models").at("models");
  for (const json& model : models) {
    Group group{model_name(model), {{0, model.at("run_ms").at("median").get<double>()}}};
    if (results.contains("tuned")) {
      const json* tuned = find_model(results.at("tuned").at("models"), group.name);
      if (tuned != nullptr) group.bars.push_back({1, tuned->at("run_ms").at("median").get<double>()});
    }
    if (const double minimum = roofline_ms(model); minimum > 0) group.bars.push_back({2, minimum});
    for (size_t i = 0; i < engines.size(); ++i) {
      const json& theirs = engines.at(i).at("models");
      if (theirs.contains(group.name)) {
        group.bars.push_back({first_peer + i, theirs.at(group.name).at("ms").get<double>()});
      }
    }
    chart.groups.push_back(std::move(group));
  }
  return chart;
}

// A logarithmic scale of whole decades.
class Scale {
 public:
  explicit Scale(const Chart& chart) {
    for (const Group& group : chart.groups) {
      for (const Bar& bar : group.bars) {
        const double decade = std::log10(std::max(bar.ms, 1e-3));
        low_ = std::min(low_, static_cast<int>(std::floor(decade)));
        high_ = std::max(high_, static_cast<int>(std::ceil(decade)));
      }
    }
  }
  int low() const { return low_; }
  int high() const { return high_; }
  double width_of(double ms) const {
    return kBarWidth * (std::log10(std::max(ms, 1e-3)) - low_) / static_cast<double>(high_ - low_);
  }

 private:
  int low_ = 0, high_ = 1;
};

void add_text(std::string& svg, double x, double y, int size, const char* anchor, const std::string& content) {
  append(svg, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" text-anchor=\"%s\" fill=\"#1a1a1a\">", x, y, size, anchor);
  svg += content + "</text>\n";
}

void add_bar(std::string& svg, double x, double y, double width, const char* color) {
  append(svg, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n", x, y, std::max(width, 0.5),
         kBar - 2, color);
}

}  // namespace

std::string format_chart(const json& results, const json& peers) {
  const Chart chart = read_chart(results, peers);
  const Scale scale(chart);
  std::string body;
  int y = 32;
  add_text(body, kMargin, y, 18, "start",
           xml_text("Milliseconds per run: " + results.at("models").at("gl").value("renderer", "unknown"),
                    kTitleCharacters));
  y += 14;
  for (size_t i = 0; i < chart.series.size(); ++i) {
    const bool used = std::ranges::any_of(chart.groups, [i](const Group& group) {
      return std::ranges::any_of(group.bars, [i](const Bar& bar) { return bar.series == i; });
    });
    if (!used) continue;
    add_bar(body, kMargin, y, kBar, chart.series[i].color);
    add_text(body, kMargin + 20, y + 10, 12, "start", xml_text(chart.series[i].name, kTitleCharacters));
    y += 18;
  }
  y += 16;
  const int top = y;
  std::string bars;
  for (const Group& group : chart.groups) {
    add_text(bars, kLeft - 8, y + 10, 12, "end", xml_text(group.name, kLabelCharacters));
    for (const Bar& bar : group.bars) {
      const double width = scale.width_of(bar.ms);
      add_bar(bars, kLeft, y, width, chart.series[bar.series].color);
      std::string figure;
      append(figure, "%.2f", bar.ms);
      add_text(bars, kLeft + width + 5, y + 10, 11, "start", figure);
      y += kBar;
    }
    y += kGap;
  }
  for (int decade = scale.low(); decade <= scale.high(); ++decade) {
    const double ms = std::pow(10, decade), x = kLeft + scale.width_of(ms);
    append(body, "<path d=\"M%.1f %d V%d\" stroke=\"#c8c8c8\"/>\n", x, top - 4, y - kGap + 4);
    std::string figure;
    append(figure, "%g", ms);
    add_text(body, x, y + 8, 11, "middle", figure);
  }
  const int height = y + kMargin;
  std::string svg = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  append(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" ", kWidth,
         height, kWidth, height);
  svg += "font-family=\"DejaVu Sans, Liberation Sans, Arial, sans-serif\">\n";
  append(svg, "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", kWidth, height);
  return svg + body + bars + "</svg>\n";
}

}  // namespace sightglass::bench
