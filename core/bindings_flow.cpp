// The part of the Python face that moves particles.
#include "arrays.hpp"
#include "directions.hpp"
#include "posteriors.hpp"

namespace {

using Moving = nb::ndarray<float, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

wgb::PerRow per_row(const In<float, 1>& values, size_t n) {
  require(values.shape(0) == 1 || values.shape(0) == n, "one number, or one per row");
  return {values.data(), values.shape(0) == 1};
}

using Particles = In<float, 3>;

// Threads for n rows of m particles in `cost` nanoseconds each.
int threads_for(int n_threads, const Particles& x, double cost) {
  return wgb::useful_threads(n_threads, static_cast<double>(x.size()) * cost, 2e5);
}

void kernel_direction(const Particles& particles, const Particles& score,
                      const Maybe<Particles>& curvature, const Maybe<In<float, 2>>& metric,
                      const In<float, 1>& bandwidth, Moving gradient,
                      const Maybe<Moving>& smoothed, int n_threads) {
  const size_t n = particles.shape(0), m = particles.shape(1), d = particles.shape(2);
  const auto same = [&](const auto& x) {
    return x.shape(0) == n && x.shape(1) == m && x.shape(2) == d;
  };
  require(n > 0 && m > 0 && d > 0, "no particles");
  require(same(score) && same(gradient) && (!curvature || same(*curvature)) &&
              (!smoothed || same(*smoothed)) && (!metric || (metric->shape(0) == n &&
              metric->shape(1) == d)) && curvature.has_value() == smoothed.has_value(),
          "arrays of different shapes");
  const wgb::PerRow h = per_row(bandwidth, n);
  nb::gil_scoped_release release;
  wgb::Team team(threads_for(n_threads, particles, 1.0 * static_cast<double>(m)));
  wgb::kernel_direction({particles.data(), score.data(), pointer(curvature), pointer(metric),
                         h.values, h.one, n, static_cast<int>(m), static_cast<int>(d),
                         gradient.data(), smoothed ? smoothed->data() : nullptr},
                        team);
}

Out<double, 2> newton_step(const In<double, 2>& particles, const In<double, 2>& score,
                           const In<double, 2>& curvature, const In<double, 1>& metric,
                           double bandwidth) {
  const size_t m = particles.shape(0), d = particles.shape(1);
  require(score.shape(0) == m && score.shape(1) == d && curvature.shape(0) == m &&
              curvature.shape(1) == d && metric.shape(0) == d, "arrays of different shapes");
  auto step = fresh<double, 2>({m, d});
  wgb::newton_step(particles.data(), score.data(), curvature.data(), metric.data(), bandwidth,
                   static_cast<int>(m), static_cast<int>(d), step.data());
  return step;
}

void normal_posterior(const Particles& particles, const In<float, 1>& y,
                      const In<float, 1>& prior_mean, const In<float, 1>& prior_scale,
                      const In<float, 1>& shape, const In<float, 1>& rate,
                      const In<float, 1>& evidence, Moving score,
                      Moving curvature, int n_threads) {
  const size_t n = particles.shape(0), m = particles.shape(1);
  require(particles.shape(2) == 2 && y.shape(0) == n && score.size() == particles.size() &&
              curvature.size() == particles.size(), "arrays of different shapes");
  const wgb::NormalPosterior posterior{y.data(), per_row(prior_mean, n), per_row(prior_scale, n),
                                       per_row(shape, n), per_row(rate, n),
                                       per_row(evidence, n)};
  nb::gil_scoped_release release;
  wgb::Team team(threads_for(n_threads, particles, 1.0));
  wgb::normal_posterior(posterior, particles.data(), n, static_cast<int>(m), score.data(),
                        curvature.data(), team);
}

void categorical_posterior(const Particles& particles, const In<int32_t, 1>& y,
                           const In<float, 1>& prior_mean, const In<float, 1>& prior_scale,
                           const In<float, 1>& evidence, Moving score,
                           Moving curvature, int n_threads) {
  const size_t n = particles.shape(0), m = particles.shape(1), d = particles.shape(2);
  require(y.shape(0) == n && score.size() == particles.size() &&
              curvature.size() == particles.size(), "arrays of different shapes");
  const wgb::CategoricalPosterior posterior{y.data(), per_row(prior_mean, n),
                                            per_row(prior_scale, n), per_row(evidence, n)};
  nb::gil_scoped_release release;
  wgb::Team team(threads_for(n_threads, particles, 5.0));
  wgb::categorical_posterior(posterior, particles.data(), n, static_cast<int>(m),
                             static_cast<int>(d), score.data(), curvature.data(), team);
}

}  // namespace

void bind_flow(nb::module_& module) {
  module.def("kernel_direction", &kernel_direction, "particles"_a.noconvert(),
             "score"_a.noconvert(), "curvature"_a.noconvert().none(),
             "metric"_a.noconvert().none(), "bandwidth"_a.noconvert(), "gradient"_a.noconvert(),
             "smoothed"_a.noconvert().none(), "n_threads"_a);
  module.def("newton_step", &newton_step, "particles"_a, "score"_a, "curvature"_a, "metric"_a,
             "bandwidth"_a);
  module.def("normal_posterior", &normal_posterior, "particles"_a.noconvert(), "y"_a.noconvert(),
             "prior_mean"_a, "prior_scale"_a, "shape"_a, "rate"_a, "evidence"_a,
             "score"_a.noconvert(), "curvature"_a.noconvert(), "n_threads"_a);
  module.def("categorical_posterior", &categorical_posterior, "particles"_a.noconvert(),
             "y"_a.noconvert(), "prior_mean"_a, "prior_scale"_a, "evidence"_a,
             "score"_a.noconvert(), "curvature"_a.noconvert(), "n_threads"_a);
}
