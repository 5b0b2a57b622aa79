#include <algorithm>
#include <optional>

#include "grower.hpp"
#include "leaves.hpp"
#include "shared_root.hpp"

namespace wgb {
namespace {

constexpr double kRowsPerThread = 5000;  // below this a second thread costs more than it brings

// The random projection with its rows padded to whole vectors.
Lease padded_matrix(const GrowTask& task, int outputs) {
  const size_t k = static_cast<size_t>(task.random_k), width = (k + 7) / 8 * 8;
  Lease padded = task.workspace->floats(static_cast<size_t>(outputs) * width);
  std::fill_n(padded.floats(), static_cast<size_t>(outputs) * width, 0.0f);
  for (size_t i = 0; k > 0 && i < static_cast<size_t>(outputs); ++i)
    std::copy(task.matrix + i * k, task.matrix + (i + 1) * k, padded.floats() + i * width);
  return padded;
}

}  // namespace

std::vector<TreeTable> grow(const GrowTask& task, int n_threads, int32_t* leaf, bool* clean) {
  const size_t n = task.targets.n, trees = task.blocks.size();
  const Block& shape = task.blocks[0];
  Layout layout =
      Layout::make(shape.outputs(), shape.params, task.projection, task.random_k,
                   task.targets.curvature != nullptr, task.targets.weight != nullptr);
  const double work = static_cast<double>(task.n_rows) * static_cast<double>(trees);
  Team team(useful_threads(n_threads, work, kRowsPerThread));

  const bool plain = task.rules.split.l2 == 0;
  layout.mass_everywhere =
      plain && has_mass_everywhere(task.targets, task.rows, task.n_rows, team);
  const bool centre = layout.mass_everywhere;  // then it changes no gain
  const size_t lane_floats = n * static_cast<size_t>(layout.width);
  const Lease memory = task.workspace->floats(trees * lane_floats);
  std::vector<float*> lanes(trees);
  for (size_t tree = 0; tree < trees; ++tree) lanes[tree] = memory.floats() + tree * lane_floats;
  const Lease matrix = padded_matrix(task, shape.outputs());
  fill_lanes(task.targets, task.blocks, layout, task.projection, matrix.floats(), centre,
             task.rows, task.n_rows, lanes, team);

  std::vector<TreeTable> tables(trees);
  const auto grow_one = [&](size_t tree, Lease root, Team& of_tree) {
    std::optional<HeldOutputs> held;
    if (task.monotone.any())
      held.emplace(HeldTree{task.columns, task.targets, task.blocks[tree], layout, task.projection,
                            matrix.floats(), task.monotone, task.rules.split.l2},
                   task.rows, task.n_rows, *task.workspace, of_tree);
    tables[tree] = grow_tree(task, layout, lanes[tree], std::move(root), held ? &*held : nullptr,
                             of_tree, leaf + tree * n);
  };
  if (trees == 1) {
    grow_one(0, Lease(), team);
  } else {
    std::vector<Lease> roots = shared_root_pass(task, layout, lanes, team);
    team.run(static_cast<int>(trees), [&](int tree) {
      Team alone(1);
      grow_one(static_cast<size_t>(tree), std::move(roots[tree]), alone);
    });
  }

  std::vector<std::vector<float>*> values(trees);
  for (size_t tree = 0; tree < trees; ++tree) {
    tables[tree].values.resize(tables[tree].n_leaves * static_cast<size_t>(shape.outputs()));
    values[tree] = &tables[tree].values;
  }
  *clean = leaf_values(task.targets, task.blocks, task.rules.split.l2, task.rows, task.n_rows,
                       leaf, values, team);
  for (TreeTable& table : tables) hold(shape, task.monotone.parameter, table.bounds, table.values);
  return tables;
}

}  // namespace wgb
