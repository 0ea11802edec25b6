// A image scanned for windows that a classifier accepts, at several scales.
//
// The work is cut into tasks: some rows of windows of one level, a level being the image at one
// scale. A task makes the rows of the scaled image that it needs, a strip at a time, so memory
// depends on the width of the image and not on its height. Tasks share nothing, and hits are
// listed in the order of tasks: the answer does not depend on the threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <vector>

#include "internal/parallel.hpp"
#include "levels/level.hpp"
#include "scan/cells.hpp"
#include "scan/classifier.hpp"
#include "scan/resize.hpp"
#include "scan/row.hpp"

namespace mddag::scan {

MDDAG_KERNELS_OF_LEVELS

struct Level {
  std::size_t height, width, step;

  std::size_t rows(const Window& window) const { return (height - window.height) / step + 1; }
  std::size_t columns(const Window& window) const { return (width - window.width) / step + 1; }
};

struct Task {
  std::size_t level, first, end;  // rows of windows
};

struct Found {
  std::vector<Hit> hits;
  Count count;
};

constexpr std::size_t kMostStep = std::size_t{1} << 31;
constexpr std::size_t kStrip = 48;  // rows of windows that are done before cells move up
constexpr std::size_t kStripCells = std::size_t{1} << 22;  // of wide images, fewer rows

inline std::size_t strip_of(const Task& task, const Layout& layout) {
  const std::size_t fit = kStripCells / (layout.step * layout.stride());
  return std::min({kStrip, task.end - task.first, std::max<std::size_t>(fit, 1)});
}

inline void require_tasks(const Image& image, const std::vector<Level>& levels,
                          const std::vector<Task>& tasks, const Classifier& classifier) {
  const Window& window = classifier.window;
  for (const Level& level : levels) {
    if (level.height < window.height || level.width < window.width || level.height > image.height ||
        level.width > image.width)
      throw std::invalid_argument("a level is larger than the image or smaller than the window");
    if (level.step == 0 || level.step > kMostStep)
      throw std::invalid_argument("a level has a step of 0 or of more than 2^31 pixels");
    const Layout layout = Layout::of(level.width, level.step);
    if (layout.stride() > (std::size_t{1} << 31) / (window.height + 1))
      throw std::invalid_argument("a level is too wide");
  }
  for (const Task& task : tasks)
    if (task.level >= levels.size() || task.first > task.end ||
        task.end > levels[task.level].rows(window))
      throw std::invalid_argument("a task has rows that its level has not");
}

// The classifier on one layout for each step: that of the widest level.
class Placements {
 public:
  Placements(const Classifier& classifier, const std::vector<Level>& levels,
             const std::vector<Task>& tasks) {
    std::map<std::size_t, std::size_t> widths;
    for (const Task& task : tasks) {
      const Level& level = levels[task.level];
      widths[level.step] = std::max(widths[level.step], level.width);
    }
    for (const auto& [step, width] : widths) {
      const Layout layout = Layout::of(width, step);
      layouts_.emplace(step, layout);
      placed_.try_emplace(step, classifier, layout);
    }
  }
  const Layout& layout(std::size_t step) const { return layouts_.at(step); }
  Stages stages(std::size_t step) const { return placed_.at(step).stages(); }

 private:
  std::map<std::size_t, Layout> layouts_;
  std::map<std::size_t, Placed> placed_;
};

inline void scan_task(const Image& image, const Level& level, const Task& task,
                      const Classifier& classifier, const Placements& placements,
                      const Kernels& kernels, Found& found) {
  const Window& window = classifier.window;
  const Layout& layout = placements.layout(level.step);
  const std::size_t strip = strip_of(task, layout);
  // Rows of cells for a strip; a window needs one more than its height.
  Cells cells(layout, (strip - 1) * level.step + window.height + 1);
  ResizedRows resized(image, level.height, level.width);
  std::vector<std::uint8_t> pixels(level.width);
  RowScan row_scan(classifier, placements.stages(level.step), layout, kernels,
                   level.columns(window));
  std::size_t n_cells = 0;  // rows of cells that are made, below the first
  std::size_t top = task.first * level.step;
  for (std::size_t first = task.first; first < task.end; first += strip) {
    const std::size_t end = std::min(first + strip, task.end);
    const std::size_t shift = first * level.step - top;
    if (shift > 0) {
      // With a step beyond the window's height, rows between windows are not needed.
      const std::size_t kept = n_cells >= shift ? n_cells - shift : 0;
      if (n_cells >= shift) cells.move_up(shift, kept + 1);
      n_cells = kept;
      top += shift;
    }
    for (; n_cells < (end - 1 - first) * level.step + window.height; ++n_cells) {
      resized.row(top + n_cells, pixels.data());
      cells.append(n_cells, pixels.data(), level.width);
    }
    for (std::size_t r = first; r < end; ++r)
      row_scan.run(cells, (r - first) * level.step, found.count, [&](std::size_t i, double score) {
        found.hits.push_back({static_cast<std::int32_t>(task.level),
                              static_cast<std::int32_t>(i * level.step),
                              static_cast<std::int32_t>(r * level.step), score});
      });
  }
}

inline Found scan(const Image& image, const std::vector<Level>& levels,
                  const std::vector<Task>& tasks, const Classifier& classifier,
                  const Kernels& kernels, int n_threads) {
  const Placements placements(classifier, levels, tasks);
  std::vector<Found> parts(tasks.size());
  parallel_for(tasks.size(), n_threads, [&](std::size_t t) {
    if (tasks[t].first < tasks[t].end)
      scan_task(image, levels[tasks[t].level], tasks[t], classifier, placements, kernels, parts[t]);
  });
  Found all;
  for (const Found& part : parts) {
    all.hits.insert(all.hits.end(), part.hits.begin(), part.hits.end());
    all.count.windows += part.count.windows;
    all.count.evaluated += part.count.evaluated;
  }
  return all;
}

}  // namespace mddag::scan
