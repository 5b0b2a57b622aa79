// One pass over the rows for the root histograms of several trees.
#pragma once

#include "grower.hpp"

namespace wgb {

// The root histogram of each tree whose lanes are given.
std::vector<Lease> shared_root_pass(const GrowTask& task, const Layout& layout,
                                    const std::vector<float*>& lanes, Team& team);

}  // namespace wgb
