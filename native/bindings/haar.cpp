// The bindings of native/haar: integral images, and the values of features on patches.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <string>
#include <utility>

#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "bindings/haar_arrays.hpp"
#include "haar/codes.hpp"
#include "haar/columns.hpp"
#include "haar/feature.hpp"
#include "haar/integral.hpp"
#include "haar/values.hpp"

namespace mddag {

using namespace nb::literals;

namespace {

// The arrays of PatchColumns.native: cells, scales, height, width.
using CellArrays = std::tuple<Matrix<std::uint32_t>, Array<float>, std::size_t, std::size_t>;

PatchCells cells_of(const CellArrays& arrays) {
  const auto& [cells, scales, height, width] = arrays;
  const Window window{height, width};
  require_features({nullptr, 0}, window);
  if (cells.shape(0) != (height + 1) * (width + 1) || cells.shape(1) != scales.shape(0))
    refuse("cells are not those of the patches and the window");
  return {cells.data(), scales.data(), scales.shape(0), window};
}

void bind_columns(nb::module_& m) {
  m.def(
      "haar_cells",
      [](PatchArray patches, const CellArrays& out, int n_threads) {
        const Patches of = patches_of(patches);
        const PatchCells cells = cells_of(out);
        if (of.n != cells.n || of.window.height != cells.window.height ||
            of.window.width != cells.window.width)
          refuse("cells are not those of the patches");
        Unlocked unlocked;
        fill_cells(of, cells, n_threads);
      },
      "patches"_a.noconvert(), "out"_a.noconvert(), "n_threads"_a);
  m.def(
      "haar_columns",
      [](const CellArrays& patches, FeatureArray features, Matrix<float> out, int n_threads) {
        const PatchCells cells = cells_of(patches);
        const Span<const HaarFeature> all = features_of(features, cells.window);
        if (out.shape(0) != all.size || out.shape(1) != cells.n)
          refuse("out is not of the features and the patches");
        Unlocked unlocked;
        haar_columns(cells, all, out.data(), n_threads);
      },
      "patches"_a.noconvert(), "features"_a.noconvert(), "out"_a.noconvert(), "n_threads"_a);
  m.def(
      "haar_codes",
      [](const CellArrays& patches, FeatureArray features, std::size_t n_bins,
         Matrix<std::uint8_t> out, int n_threads) {
        const PatchCells cells = cells_of(patches);
        const Span<const HaarFeature> all = features_of(features, cells.window);
        if (out.shape(0) != all.size || out.shape(1) != cells.n)
          refuse("out is not of the features and the patches");
        if (n_bins < 2 || n_bins > 256) refuse("bins are not 2 to 256");
        Unlocked unlocked;
        haar_codes(cells, all, n_bins, out.data(), n_threads);
      },
      "patches"_a.noconvert(), "features"_a.noconvert(), "n_bins"_a, "out"_a.noconvert(),
      "n_threads"_a);
}

}  // namespace

void bind_haar(nb::module_& m) {
  bind_columns(m);
  m.def(
      "integral_images",
      [](Matrix<const std::uint8_t> image, Matrix<std::uint32_t> sums,
         Matrix<std::uint64_t> squares) {
        const std::size_t height = image.shape(0), width = image.shape(1);
        for (const auto& [rows, cells] : {std::pair{sums.shape(0), sums.shape(1)},
                                          std::pair{squares.shape(0), squares.shape(1)}})
          if (rows != height + 1 || cells != width + 1)
            refuse("integral images are not of the image's height + 1 and width + 1");
        Unlocked unlocked;
        const Image grey{image.data(), height, width, width};
        sums_of(grey, sums.data());
        squares_of(grey, squares.data());
      },
      "image"_a.noconvert(), "sums"_a.noconvert(), "squares"_a.noconvert());
  m.def(
      "haar_fault",
      [](FeatureArray features, std::size_t height, std::size_t width) {
        for (std::size_t f = 0; f < features.shape(0); ++f) {
          const auto* all = reinterpret_cast<const HaarFeature*>(features.data());
          if (const char* fault = feature_fault(all[f], {height, width}))
            return std::pair{static_cast<std::int64_t>(f), std::string(fault)};
        }
        return std::pair{std::int64_t{-1}, std::string()};
      },
      "features"_a.noconvert(), "height"_a, "width"_a);
  m.def(
      "haar_values",
      [](PatchArray patches, FeatureArray features, Matrix<float> out, int n_threads) {
        const Patches of = patches_of(patches);
        const Span<const HaarFeature> all = features_of(features, of.window);
        if (out.shape(0) != of.n || out.shape(1) != all.size)
          refuse("out is not of the patches and the features");
        Unlocked unlocked;
        haar_values(of, all, out.data(), n_threads);
      },
      "patches"_a.noconvert(), "features"_a.noconvert(), "out"_a.noconvert(), "n_threads"_a);
}

}  // namespace mddag
