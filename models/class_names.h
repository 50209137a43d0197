// Class names of public data sets, for models without labels: comma-separated, in class order, without a background.
#pragma once

namespace sightglass {

// The 1000 classes of ImageNet (ILSVRC 2012).
extern const char* const kImageNetLabels;
// The 80 classes of COCO; and the same by COCO category number, 1 to 90, ten of which are empty.
extern const char* const kCocoLabels;
extern const char* const kCoco90Labels;

}  // namespace sightglass
