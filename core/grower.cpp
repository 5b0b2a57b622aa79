#include "grower.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>
#include <queue>

#include "partition.hpp"

namespace wgb {
namespace {

constexpr double kWorkPerThread = 40000;  // the same for one node, in rows x features
constexpr size_t kBinCost = 8;            // looking at a bin costs about as much as adding rows
constexpr size_t kRowsPerTask = 16384;
// Histograms kept for later subtraction; a node without one has both children summed afresh.
constexpr size_t kPoolBytes = size_t(512) << 20;

constexpr float kNearTie = 1e-2f;  // gains of the same parting of rows differ by less

struct Node {
  size_t begin, end;  // part of the row order
  int depth;
  Split split;
  std::vector<Split> splits;  // the best of every feature
  Lease histogram;
  std::shared_ptr<const BinLists> bins;  // with rows, of every feature
  Bounds bounds;                // of held outputs
  Scatter scatter;              // of the rows, where categories are penalised
  std::vector<uint8_t> groups;  // which of them have all features on the path to here
};

struct Pending {
  int node, depth;
  float gain;
};

struct Later {
  bool best_first;
  // True when a is split after b. Ties: the older node first.
  bool operator()(const Pending& a, const Pending& b) const {
    if (!best_first && a.depth != b.depth) return a.depth > b.depth;
    if (a.gain != b.gain) return a.gain < b.gain;
    return a.node > b.node;
  }
};

class TreeGrower {
 public:
  TreeGrower(const GrowTask& task, const Layout& layout, const float* lanes, Team& team,
             int32_t* leaf, const HeldOutputs* held)
      : task_(task), layout_(layout), lanes_(lanes), team_(team), leaf_(leaf), held_(held),
        memory_(task.workspace->indices(2 * task.n_rows)), order_(memory_.indices()),
        spare_(order_ + task.n_rows) {
    if (task.rows)
      std::copy(task.rows, task.rows + task.n_rows, order_);
    else
      std::iota(order_, order_ + task.n_rows, 0u);
    histogram_floats_ = task.columns.rows() * static_cast<size_t>(layout.width);
    pool_limit_ = std::max<size_t>(2, kPoolBytes / (histogram_floats_ * sizeof(float) + 1));
  }

  // `root` is the root's histogram when it has been made already.
  TreeTable grow(Lease root) {
    open(0, task_.n_rows, 0);
    if (held_) nodes_[0].bounds = Bounds(held_->particles());
    nodes_[0].groups.assign(task_.groups.size(), 1);
    if (may_split(nodes_[0])) {
      const bool build = !root;
      const auto all = std::make_shared<const BinLists>(BinLists::all(task_.columns));
      nodes_[0].histogram = build ? new_histogram() : std::move(root);
      if (build) build_node(0, *all);
      if (task_.columns.any_categorical()) find_smoothing(*all);
      if (penalises()) nodes_[0].scatter = scatter(nodes_[0]);
      search({0}, *all, nullptr);
      consider(0);
    }
    while (!queue_.empty() && !full()) {
      const int node = queue_.top().node;
      queue_.pop();
      split(node);
    }
    return finish();
  }

 private:
  Lease new_histogram() const { return task_.workspace->floats(histogram_floats_); }

  bool full() const {
    return task_.rules.max_leaves > 0 && n_leaves_ >= static_cast<size_t>(task_.rules.max_leaves);
  }

  size_t least_rows() const {
    return std::max<size_t>(1, static_cast<size_t>(task_.rules.split.min_samples_leaf));
  }

  bool may_split(const Node& node) const {
    const GrowRules& rules = task_.rules;
    return !full() && (rules.max_depth <= 0 || node.depth < rules.max_depth) &&
           node.end - node.begin >= 2 * least_rows();
  }

  int open(size_t begin, size_t end, int depth) {
    nodes_.push_back({begin, end, depth, {}, {}, {}, {}, Bounds(), {}, {}});
    return table_.add(end - begin);
  }

  // The team, or nobody else for work that is too small to share.
  Team& team_for(size_t rows) {
    const double work = static_cast<double>(rows) * task_.columns.size();
    return useful_threads(team_.size(), work, kWorkPerThread) > 1 ? team_ : alone_;
  }

  void build_node(int node, const BinLists& listed) {
    const bool in_place = node == 0 && !task_.rows;  // the rows as they lie
    const Node& it = nodes_[node];
    build_histogram(task_.columns, listed, lanes_, layout_.width, in_place ? nullptr : order_,
                    it.begin, it.end, it.histogram.floats(), team_for(it.end - it.begin),
                    *task_.workspace);
  }

  bool penalises() const {
    return task_.columns.any_categorical() && task_.rules.split.cat_penalty > 0;
  }

  Scatter scatter(const Node& node) {
    const size_t n = node.end - node.begin;
    return scatter_of(lanes_, layout_, order_ + node.begin, n, task_.targets.weight,
                      reference_.data(), team_for(n));
  }

  // The mass that cat_smooth rows have on average, and l2; and the mean movement.
  void find_smoothing(const BinLists& listed) {
    double weight = static_cast<double>(task_.n_rows);
    if (const float* weights = task_.targets.weight) {
      weight = 0;
      for (size_t i = 0; i < task_.n_rows; ++i) weight += weights[order_[i]];
    }
    const SplitRules& rules = task_.rules.split;
    smooth_.resize(static_cast<size_t>(layout_.width));
    node_totals(task_.columns, layout_, nodes_[0].histogram.floats(), listed, smooth_.data());
    for (int j = 0; j < layout_.k; ++j) {
      const double mass = smooth_[layout_.shared >= 0 ? layout_.shared : layout_.block + j];
      reference_.push_back(mass > 0 ? smooth_[j] / mass : 0.0);
    }
    for (float& mass : smooth_)
      mass = rules.l2 + rules.cat_smooth * static_cast<float>(mass / weight);
  }

  // Searches the splits of nodes, whose rows are in the listed bins; with `small` set, it is first
  // taken off the first node's histogram.
  void search(const std::vector<int>& nodes, const BinLists& listed, const float* small) {
    const int p = task_.columns.size();
    Team& team = team_for(task_.columns.rows() / static_cast<size_t>(p) * kBinCost);
    const int pieces = team.size() == 1 ? 1 : std::min(p, 4 * team.size());
    std::vector<std::vector<Split>> found(nodes.size(), std::vector<Split>(p));
    std::vector<Lease> held;
    std::vector<std::shared_ptr<BinLists>> bins;
    for (const int node : nodes) {
      bins.push_back(std::make_shared<BinLists>(task_.columns));
      const size_t begin = nodes_[node].begin, end = nodes_[node].end;
      held.push_back(held_ ? held_->histogram(order_, begin, end, team_for(end - begin)) : Lease());
    }
    team.run(pieces, [&](int piece) {
      const int first = part(p, piece, pieces), last = part(p, piece + 1, pieces);
      if (small)
        subtract_histogram(task_.columns, layout_, listed, first, last, small,
                           nodes_[nodes[0]].histogram.floats());
      for (size_t i = 0; i < nodes.size(); ++i)
        if (!small || i > 0 || pieces == 1)
          search_node(nodes[i], listed, first, last, held[i], found[i], *bins[i]);
    });
    // The totals of a node are read from one feature, so all of them have to be subtracted first.
    if (small && pieces > 1)
      team.run(pieces, [&](int piece) {
        search_node(nodes[0], listed, part(p, piece, pieces), part(p, piece + 1, pieces), held[0],
                    found[0], *bins[0]);
      });
    for (size_t i = 0; i < nodes.size(); ++i) {
      keep_groups(nodes_[nodes[i]], found[i]);
      nodes_[nodes[i]].split = first_best(found[i]);
      nodes_[nodes[i]].splits = std::move(found[i]);
      nodes_[nodes[i]].bins = std::move(bins[i]);
    }
  }

  void search_node(int node, const BinLists& listed, int first, int last, const Lease& held,
                   std::vector<Split>& found, BinLists& bins) {
    const HeldNode here{held_, held.floats(), &nodes_[node].bounds};
    best_splits(task_.columns, layout_, task_.rules.split, nodes_[node].histogram.floats(), listed,
                {smooth_.data(), reference_.data(), &nodes_[node].scatter}, first, last,
                found.data(), &bins, *task_.workspace, held_ ? &here : nullptr);
  }

  // Drops splits on features that may not meet those on the path.
  void keep_groups(const Node& node, std::vector<Split>& found) const {
    for (Split& split : found) {
      bool together = task_.groups.empty();
      for (size_t g = 0; split.found() && g < task_.groups.size(); ++g)
        together = together || (node.groups[g] && in_group(g, split));
      if (!together) split = Split();
    }
  }

  bool in_group(size_t g, const Split& split) const {
    return task_.groups[g][static_cast<size_t>(task_.columns.feature[split.feature])] != 0;
  }

  // Queues a node whose split is known, or frees what it holds.
  void consider(int node) {
    Node& it = nodes_[node];
    if (it.split.found())
      queue_.push({node, it.depth, it.split.gain});
    else
      it.bins.reset();
    if (it.split.found() && ++kept_ <= pool_limit_) return;
    kept_ -= it.split.found();
    it.histogram = Lease();
  }

  void split(int node) {
    if (nodes_[node].histogram) --kept_;
    const Split split = first_alike(nodes_[node]);
    const size_t begin = nodes_[node].begin, end = nodes_[node].end;
    const CodeCounts counts = count_codes(nodes_[node], split);
    const size_t middle = partition(begin, end, split);
    if (std::min(middle - begin, end - middle) < least_rows()) {
      // Beyond 2^24 rows the histogram's counts are not exact: this split was one on paper only.
      nodes_[node].splits[split.feature] = Split();
      nodes_[node].split = first_best(nodes_[node].splits);
      consider(node);
      return;
    }
    nodes_[node].splits = {};
    const int depth = nodes_[node].depth + 1;
    const int left = open(begin, middle, depth), right = open(middle, end, depth);
    if (held_)
      held_->part(split.feature, order_, begin, middle, end, nodes_[node].bounds,
                  nodes_[left].bounds, nodes_[right].bounds);
    for (size_t g = 0; g < task_.groups.size(); ++g) {
      const uint8_t still = nodes_[node].groups[g] && in_group(g, split);
      nodes_[left].groups.push_back(still);
      nodes_[right].groups.push_back(still);
    }
    table_.feature[node] = task_.columns.feature[split.feature];
    table_.left[node] = left;
    table_.gain[node] = split.gain;
    // A side nobody was seen to take: with the larger child.
    const bool larger_left = middle - begin >= end - middle;
    table_.missing_left[node] = split.saw_missing ? split.missing_left : larger_left;
    if (split.categories) {  // categories without rows here are like missing values
      table_.category_set[node] = static_cast<int32_t>(table_.sets.size());
      table_.sets.push_back(split.categories->with_others(table_.missing_left[node] != 0));
    } else {
      table_.bin[node] = static_cast<uint8_t>(split.bin);
    }
    table_.ranges.grow(table_.feature.size(), table_.sets.size());
    table_.ranges.add_split(counts, node, left, split.bin, table_.category_set[node]);
    ++n_leaves_;

    const bool left_small = middle - begin <= end - middle;
    const int small = left_small ? left : right, large = left_small ? right : left;
    const bool need_small = may_split(nodes_[small]), need_large = may_split(nodes_[large]);
    Lease parent = std::move(nodes_[node].histogram);
    const std::shared_ptr<const BinLists> listed = std::move(nodes_[node].bins);
    if (!need_large) return;  // then the smaller one cannot be split either
    nodes_[small].histogram = new_histogram();
    const bool subtract = static_cast<bool>(parent);
    nodes_[large].histogram = subtract ? std::move(parent) : new_histogram();
    const auto searched = need_small ? std::vector<int>{large, small} : std::vector<int>{large};
    build_node(small, *listed);
    if (!subtract) build_node(large, *listed);
    if (penalises()) {
      nodes_[small].scatter = scatter(nodes_[small]);
      nodes_[large].scatter = std::move(nodes_[node].scatter);
      nodes_[large].scatter.add(nodes_[small].scatter, -1.0);
    }
    search(searched, *listed, subtract ? nodes_[small].histogram.floats() : nullptr);
    if (!need_small) nodes_[small].histogram = Lease();
    for (const int child : searched) consider(child);
  }

  // How many rows of a node have each code of the split's feature.
  CodeCounts count_codes(const Node& node, const Split& split) const {
    const int f = split.feature, bins = task_.columns.bins[f];
    if (!node.histogram || node.end - node.begin > kExactCounts)
      return CodeCounts(task_.columns.column(f), order_ + node.begin, node.end - node.begin, bins);
    const auto width = static_cast<size_t>(layout_.width);
    return CodeCounts(node.histogram.floats() + task_.columns.offset[f] * width + layout_.count,
                      width, node.bins->of(task_.columns, f), node.bins->size(f), bins);
  }

  // The split of the first feature that parts the node's rows as the best one does. Its gain is
  // the same but for rounding, which must not decide where new rows go.
  Split first_alike(const Node& node) const {
    for (const Split& split : node.splits) {
      if (split.feature == node.split.feature) break;
      if (split.found() && split.gain >= node.split.gain * (1 - kNearTie) &&
          alike(node, split, node.split))
        return split;
    }
    return node.split;
  }

  bool alike(const Node& node, const Split& a, const Split& b) const {
    const bool same = goes_left(a, order_[node.begin]) == goes_left(b, order_[node.begin]);
    for (size_t i = node.begin; i < node.end; ++i)
      if ((goes_left(a, order_[i]) == goes_left(b, order_[i])) != same) return false;
    return true;
  }

  bool goes_left(const Split& split, uint32_t row) const {
    const int code = task_.columns.column(split.feature)[row];
    if (code == task_.columns.bins[split.feature]) return split.missing_left;
    return split.categories ? split.categories->left.has(code) : code <= split.bin;
  }

  size_t partition(size_t begin, size_t end, const Split& split) {
    const uint8_t* codes = task_.columns.column(split.feature);
    const auto part = [&](const auto& goes_left) {
      return begin + part_rows(order_ + begin, end - begin, spare_, team_, goes_left);
    };
    if (split.categories) {
      const CategorySet set = split.categories->with_others(split.missing_left);
      return part([codes, set](uint32_t row) { return set.has(codes[row]); });
    }
    const int missing = task_.columns.bins[split.feature], bin = split.bin;
    const bool missing_left = split.missing_left;
    return part([=](uint32_t row) {
      const int code = codes[row];
      return static_cast<bool>((code <= bin) | ((code == missing) & missing_left));
    });
  }

  TreeTable finish() {
    std::vector<std::pair<size_t, size_t>> ranges;
    for (size_t node = 0; node < nodes_.size(); ++node)
      if (table_.feature[node] < 0) {
        table_.leaf[node] = static_cast<int32_t>(ranges.size());
        ranges.emplace_back(nodes_[node].begin, nodes_[node].end);
        if (held_) table_.bounds.push_back(std::move(nodes_[node].bounds));
      }
    table_.n_leaves = ranges.size();
    table_.ranges.grow(table_.feature.size(), table_.sets.size());
    const size_t n = task_.targets.n;
    if (task_.rows) std::fill(leaf_, leaf_ + n, -1);
    team_.run(static_cast<int>(ranges.size()), [&](int leaf) {
      for (size_t i = ranges[leaf].first; i < ranges[leaf].second; ++i) leaf_[order_[i]] = leaf;
    });
    if (task_.rows)
      team_.run_ranges(n, kRowsPerTask, [&](size_t from, size_t to) { route(from, to); });
    return std::move(table_);
  }

  // Leaves of the rows that were not drawn. Those of weight zero count in no range.
  void route(size_t begin, size_t end) {
    const Columns& columns = task_.columns;
    const float* weight = task_.targets.weight;
    std::vector<int32_t> bins(static_cast<size_t>(columns.feature.back()) + 1, 0);
    for (int f = 0; f < columns.size(); ++f) bins[columns.feature[f]] = columns.bins[f];
    NodeRanges ranges;
    ranges.grow(table_.feature.size(), table_.sets.size());
    for (size_t row = begin; row < end; ++row) {
      if (leaf_[row] >= 0) continue;
      const bool counts = !weight || weight[row] > 0;
      leaf_[row] = counts ? table_.leaf_of(columns, bins, row, ranges)
                          : table_.leaf_of(columns, bins, row);
    }
    const std::lock_guard<std::mutex> lock(routing_);  // in any order, the sum is the same
    table_.ranges.merge(ranges);
  }

  std::mutex routing_;
  const GrowTask& task_;
  const Layout layout_;
  const float* lanes_;
  Team& team_;
  Team alone_{1};
  int32_t* leaf_;
  const HeldOutputs* held_;  // or null: no constraints
  Lease memory_;
  uint32_t *order_, *spare_;  // rows, node after node, and room to sort them
  std::vector<Node> nodes_;
  std::vector<float> smooth_;      // (width), of categories
  std::vector<double> reference_;  // (k), of categories
  TreeTable table_;
  std::priority_queue<Pending, std::vector<Pending>, Later> queue_{
      Later{task_.rules.best_first}};
  size_t histogram_floats_ = 0, pool_limit_ = 0, kept_ = 0, n_leaves_ = 1;
};

}  // namespace

TreeTable grow_tree(const GrowTask& task, const Layout& layout, const float* lanes, Lease root,
                    const HeldOutputs* held, Team& team, int32_t* leaf) {
  return TreeGrower(task, layout, lanes, team, leaf, held).grow(std::move(root));
}

}  // namespace wgb
