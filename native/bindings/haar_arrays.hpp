// From numpy arrays to patches and Haar features.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>

#include "haar/feature.hpp"
#include "haar/values.hpp"

namespace mddag {

namespace nb = nanobind;

using PatchArray = nb::ndarray<const std::uint8_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using FeatureArray =
    nb::ndarray<const std::int32_t, nb::shape<-1, 3, 5>, nb::c_contig, nb::device::cpu>;

inline Patches patches_of(const PatchArray& array) {
  return {array.data(), array.shape(0), {array.shape(1), array.shape(2)}};
}

// Throws unless the rectangles of all features lie in the window.
inline Span<const HaarFeature> features_of(const FeatureArray& array, const Window& window) {
  const Span<const HaarFeature> features{reinterpret_cast<const HaarFeature*>(array.data()),
                                         array.shape(0)};
  require_features(features, window);
  return features;
}

}  // namespace mddag
