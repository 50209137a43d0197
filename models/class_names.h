// Names of the classes of public data sets, which models without labels were trained with: separated by commas, in the
// order of the classes, without a background.
#pragma once

namespace sightglass {

// The 1000 classes of ImageNet (ILSVRC 2012).
extern const char* const kImageNetLabels;
// The 80 classes of COCO, and the same by COCO's category numbers, 1 to 90, of which ten are empty.
extern const char* const kCocoLabels;
extern const char* const kCoco90Labels;

}  // namespace sightglass
