// The part of the Python face that moves particles.
#include "arrays.hpp"
#include "directions.hpp"
#include "flow.hpp"
#include "posteriors.hpp"

namespace {

using Moving = nb::ndarray<float, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Particles = In<float, 3>;
using Numbers = In<float, 1>;

// A posterior and the arrays it reads, one number per row or one for all.
template <class Posterior>
struct Held {
  Posterior posterior;
  size_t n;
  std::vector<Numbers> arrays;

  wgb::PerRow hold(const Numbers& values) {
    require(values.shape(0) == 1 || values.shape(0) == n, "one number, or one per row");
    arrays.push_back(values);
    return {values.data(), values.shape(0) == 1};
  }
};

struct Normal : Held<wgb::NormalPosterior> {
  Normal(const Numbers& y, const Numbers& prior_mean, const Numbers& prior_scale,
         const Numbers& shape, const Numbers& rate, const Numbers& evidence) {
    n = y.shape(0);
    posterior.y = hold(y);
    posterior.prior_mean = hold(prior_mean);
    posterior.prior_scale = hold(prior_scale);
    posterior.shape = hold(shape);
    posterior.rate = hold(rate);
    posterior.evidence = hold(evidence);
  }
  static bool fits(size_t d) { return d == 2; }
};

struct Categorical : Held<wgb::CategoricalPosterior> {
  Categorical(const Numbers& y, const Numbers& prior_mean, const Numbers& prior_scale,
              const Numbers& evidence) {
    n = y.shape(0);
    posterior.y = hold(y);
    posterior.prior_mean = hold(prior_mean);
    posterior.prior_scale = hold(prior_scale);
    posterior.evidence = hold(evidence);
  }
  static bool fits(size_t) { return true; }
};

template <class X>
bool same_shape(const Particles& particles, const X& x) {
  return x.shape(0) == particles.shape(0) && x.shape(1) == particles.shape(1) &&
         x.shape(2) == particles.shape(2);
}

// Threads for rows whose particles' parameters take `cost` nanoseconds each.
int threads_for(int n_threads, const Particles& x, double cost) {
  return wgb::useful_threads(n_threads, static_cast<double>(x.size()) * cost, 2e5);
}

void move(const Particles& particles, const wgb::Derivatives& density, bool curved,
          const Maybe<In<float, 2>>& metric, const Numbers& bandwidth, Moving& gradient,
          const Maybe<Moving>& smoothed, int n_threads) {
  const size_t n = particles.shape(0), m = particles.shape(1), d = particles.shape(2);
  require(n > 0 && m > 0 && d > 0, "no particles");
  require(same_shape(particles, gradient) && (!smoothed || same_shape(particles, *smoothed)) &&
              (!metric || (metric->shape(0) == n && metric->shape(1) == d)) &&
              (bandwidth.shape(0) == 1 || bandwidth.shape(0) == n) && (curved || !smoothed),
          "arrays of different shapes");
  const wgb::PerRow h{bandwidth.data(), bandwidth.shape(0) == 1};
  const Released released;
  wgb::Team team(threads_for(n_threads, particles, 0.3 * static_cast<double>(m)));
  wgb::kernel_direction({particles.data(), density, pointer(metric), h, n, static_cast<int>(m),
                         static_cast<int>(d), curved, gradient.data(),
                         smoothed ? smoothed->data() : nullptr},
                        team);
}

void kernel_direction(const Particles& particles, const Particles& score,
                      const Maybe<Particles>& curvature, const Maybe<In<float, 2>>& metric,
                      const Numbers& bandwidth, Moving gradient, const Maybe<Moving>& smoothed,
                      int n_threads) {
  require(same_shape(particles, score) && (!curvature || same_shape(particles, *curvature)),
          "arrays of different shapes");
  const wgb::GivenDerivatives given(score.data(), pointer(curvature));
  move(particles, given, curvature.has_value(), metric, bandwidth, gradient, smoothed, n_threads);
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

wgb::AveragedCategorical averaged_categorical(const In<double, 1>& frequency, double prior_mean,
                                              double prior_scale, double evidence) {
  require(frequency.shape(0) > 0, "frequencies of the classes but the last are needed");
  wgb::AveragedCategorical posterior;
  posterior.frequency.assign(frequency.data(), frequency.data() + frequency.shape(0));
  posterior.prior_mean = prior_mean;
  posterior.prior_scale = prior_scale;
  posterior.evidence = evidence;
  return posterior;
}

template <class Posterior>
Out<double, 2> settled(const Posterior& posterior, const In<double, 2>& particles, bool scaled,
                       double bandwidth, double rate, double still, int steps) {
  const size_t m = particles.shape(0), d = particles.shape(1);
  require(m > 0 && d == static_cast<size_t>(posterior.params()),
          "particles with the parameters of the posterior are needed");
  auto moved = fresh<double, 2>({m, d});
  std::copy_n(particles.data(), m * d, moved.data());
  {
    const Released released;
    wgb::settle(posterior, {steps, rate, still, bandwidth, scaled}, static_cast<int>(m),
                moved.data());
  }
  return moved;
}

template <class T>
void derivatives(const T& held, const Particles& particles, Moving score, Moving curvature,
                 int n_threads) {
  require(T::fits(particles.shape(2)) && particles.shape(0) == held.n &&
              same_shape(particles, score) && same_shape(particles, curvature),
          "arrays of different shapes");
  const Released released;
  wgb::Team team(threads_for(n_threads, particles, 1.0));
  wgb::derivatives_at(held.posterior, particles.data(), held.n,
                      static_cast<int>(particles.shape(1)), static_cast<int>(particles.shape(2)),
                      score.data(), curvature.data(), team);
}

template <class T>
void direction(const T& held, const Particles& particles, bool curved,
               const Maybe<In<float, 2>>& metric, const Numbers& bandwidth, Moving gradient,
               const Maybe<Moving>& smoothed, int n_threads) {
  require(T::fits(particles.shape(2)) && particles.shape(0) == held.n,
          "arrays of different shapes");
  move(particles, held.posterior, curved, metric, bandwidth, gradient, smoothed, n_threads);
}

template <class T>
void bind_methods(nb::class_<T>& kind) {
  kind.def("derivatives", &derivatives<T>, nb::kw_only(), "particles"_a.noconvert(),
           "score"_a.noconvert(), "curvature"_a.noconvert(), "n_threads"_a)
      .def("direction", &direction<T>, nb::kw_only(), "particles"_a.noconvert(), "curved"_a,
           "metric"_a.noconvert().none(), "bandwidth"_a.noconvert(), "gradient"_a.noconvert(),
           "smoothed"_a.noconvert().none(), "n_threads"_a);
}

}  // namespace

void bind_flow(nb::module_& module) {
  module.def("kernel_direction", &kernel_direction, nb::kw_only(), "particles"_a.noconvert(),
             "score"_a.noconvert(), "curvature"_a.noconvert().none(), "metric"_a.noconvert().none(),
             "bandwidth"_a.noconvert(), "gradient"_a.noconvert(), "smoothed"_a.noconvert().none(),
             "n_threads"_a);
  module.def("newton_step", &newton_step, nb::kw_only(), "particles"_a, "score"_a, "curvature"_a,
             "metric"_a, "bandwidth"_a);
  nb::class_<wgb::AveragedNormal>(module, "AveragedNormal")
      .def(nb::init<double, double, double, double, double, double, double>(), nb::kw_only(),
           "mean"_a, "variance"_a, "prior_mean"_a, "prior_scale"_a, "shape"_a, "rate"_a,
           "evidence"_a)
      .def("settled", &settled<wgb::AveragedNormal>, nb::kw_only(), "particles"_a, "scaled"_a,
           "bandwidth"_a, "rate"_a, "still"_a, "steps"_a);
  nb::class_<wgb::AveragedCategorical>(module, "AveragedCategorical")
      .def("settled", &settled<wgb::AveragedCategorical>, nb::kw_only(), "particles"_a, "scaled"_a,
           "bandwidth"_a, "rate"_a, "still"_a, "steps"_a);
  module.def("averaged_categorical", &averaged_categorical, nb::kw_only(), "frequency"_a,
             "prior_mean"_a, "prior_scale"_a, "evidence"_a);
  nb::class_<Normal> normal(module, "NormalPosterior");
  normal.def(nb::init<const Numbers&, const Numbers&, const Numbers&, const Numbers&,
                      const Numbers&, const Numbers&>(),
             nb::kw_only(), "y"_a, "prior_mean"_a, "prior_scale"_a, "shape"_a, "rate"_a,
             "evidence"_a);
  bind_methods(normal);
  nb::class_<Categorical> categorical(module, "CategoricalPosterior");
  categorical.def(nb::init<const Numbers&, const Numbers&, const Numbers&, const Numbers&>(),
                  nb::kw_only(), "y"_a, "prior_mean"_a, "prior_scale"_a, "evidence"_a);
  bind_methods(categorical);
}
