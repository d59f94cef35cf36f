// Some rows against panels of 32 points: the innermost loop over pairs, by the rule of a semimetric.
//
// A panel holds 32 points coordinate by coordinate, so that one load reads one coordinate of many. A
// few rows are compared with it at once, and all their partial sums stay in registers. No distance
// depends on which rows those are, nor on the registers of a processor.
#pragma once
#include "kernel.hpp"
#include "phi.hpp"

namespace KG_SET {

constexpr int LANES = 32;
// Rows of a group, whose sums by column are added up in T before they go to a table in float64.
template <class T> constexpr int GROUP = sizeof(T) == 4 ? 8 : 4;
// Below this share of ‖x‖² + ‖y‖² a squared distance has lost digits: differences replace it.
constexpr double CANCELED = 1.0 / 16;

// Σ_t scale_t φ_t(Σ_d δ_t) over the coordinates [start, stop) of each term. A power is an index into
// ROOT_POWERS, or −1 where φ and its parameter count.
struct Rule {
  Vector<const i64> starts, stops, forms, powers;
  Vector<const double> scales;
  Vector<const i64> phis;
  Vector<const double> parameters;
};

struct Term {
  i64 start, stop, form, power;
  double scale;
  i64 phi;
  double parameter;

  Term(const Rule& rule, i64 t)
      : start(rule.starts[t]), stop(rule.stops[t]), form(rule.forms[t]), power(rule.powers[t]),
        scale(rule.scales[t]), phi(rule.phis[t]), parameter(rule.parameters[t]) {}
};

inline bool require_rule(Call& call, const Rule& rule, i64 columns) {
  const i64 n = rule.starts.n;
  bool holds = n > 0 && rule.stops.n == n && rule.forms.n == n && rule.powers.n == n &&
               rule.scales.n == n && rule.phis.n == n && rule.parameters.n == n;
  for (i64 t = 0; holds && t < n; t++)
    holds = rule.starts[t] >= 0 && rule.starts[t] <= rule.stops[t] &&
            rule.stops[t] + (rule.forms[t] == PRODUCT) <= columns && rule.forms[t] >= SQUARED &&
            rule.forms[t] <= SHANNON && rule.powers[t] >= -1 && rule.powers[t] <= 3 &&
            rule.phis[t] >= POWER && rule.phis[t] <= ARC;
  return require(call, holds, "a rule names coordinates or codes that do not exist");
}

// Sums of a few rows with some lanes of a panel.
template <class T> struct Tile {
  static constexpr int N = Simd<T>::N, SUMS = KG_REGISTERS / 2;
  static constexpr int V = LANES / N < 4 ? LANES / N : 4, R = SUMS / V, WIDTH = V * N;
  Vec<T> sum[R][V];

  // Sets the sums to those of one form over the coordinates [start, stop).
  template <i64 FORM>
  KG_INLINE void accumulate(const T* x, i64 stride, const T* panel, i64 start, i64 stop) {
    Vec<T> s[R][V] = {};
    for (i64 d = start; d < stop; d++) {
      Vec<T> entry[R];
      KG_UNROLL for (int r = 0; r < R; r++) entry[r] = splat<T>(x[r * stride + d]);
      KG_UNROLL for (int v = 0; v < V; v++) {
        const Vec<T> column = load_once<T>(panel + d * LANES + v * N);
        KG_UNROLL for (int r = 0; r < R; r++) {
          if constexpr (FORM == PRODUCT) {
            s[r][v] = multiply_add(entry[r], column, s[r][v]);
          } else if constexpr (FORM == SQUARED) {
            const Vec<T> t = column - entry[r];
            s[r][v] = multiply_add(t, t, s[r][v]);
          } else if constexpr (FORM == ABSOLUTE) {
            s[r][v] = s[r][v] + absolute(column - entry[r]);
          } else {
            s[r][v] = s[r][v] - __builtin_convertvector(column != entry[r], Vec<T>);
          }
        }
      }
    }
    KG_UNROLL for (int r = 0; r < R; r++) KG_UNROLL for (int v = 0; v < V; v++) sum[r][v] = s[r][v];
  }
  KG_INLINE void write(T* to) const {
    KG_UNROLL for (int r = 0; r < R; r++)
      KG_UNROLL for (int v = 0; v < V; v++) store<T>(to + r * WIDTH + v * N, sum[r][v]);
  }
  KG_INLINE void read(const T* from) {
    KG_UNROLL for (int r = 0; r < R; r++)
      KG_UNROLL for (int v = 0; v < V; v++) sum[r][v] = load<T>(from + r * WIDTH + v * N);
  }

  // ‖x‖² + ‖y‖² − 2xy, by differences where that cancels; norms are at `stop`.
  KG_INLINE void expand(const T* x, i64 stride, const T* panel, i64 start, i64 stop) {
    accumulate<PRODUCT>(x, stride, panel, start, stop);
    Integers canceled = {};
    KG_UNROLL for (int r = 0; r < R; r++) KG_UNROLL for (int v = 0; v < V; v++) {
      const Vec<T> norms = load<T>(panel + stop * LANES + v * N) + x[r * stride + stop];
      sum[r][v] = multiply_add(splat<T>(-2), sum[r][v], norms);
      canceled |= (Integers)(sum[r][v] < norms * T(CANCELED));
    }
    if (__builtin_expect(is_any(canceled), 0)) {
      T values[R * WIDTH];
      write(values);
      mend(values, x, stride, panel, start, stop);
      read(values);
    }
  }
  static __attribute__((noinline)) void mend(T* values, const T* x, i64 stride, const T* panel,
                                             i64 start, i64 stop) {
    Tile exact;
    exact.template accumulate<SQUARED>(x, stride, panel, start, stop);
    for (int r = 0; r < R; r++)
      for (int j = 0; j < WIDTH; j++) {
        const T norms = panel[stop * LANES + j] + x[r * stride + stop];
        if (values[r * WIDTH + j] < norms * T(CANCELED))
          values[r * WIDTH + j] = exact.sum[r][j / N][j % N];
      }
  }

  static __attribute__((noinline)) void fill_shannon(T* values, const T* x, i64 stride,
                                                     const T* panel, i64 start, i64 stop) {
    for (int r = 0; r < R; r++)
      for (int j = 0; j < WIDTH; j += DOUBLES) {
        Doubles total = {};
        for (i64 d = start; d < stop; d++)
          total = add_shannon(total, x[r * stride + d], panel + d * LANES + j);
        store_narrow(values + r * WIDTH + j, total);
      }
  }

  // Sets the sums to one term, without its scale.
  KG_INLINE void compute(const T* x, i64 stride, const T* panel, const Term& term) {
    const i64 start = term.start, stop = term.stop, power = term.power;
    switch (term.form) {
      case SQUARED: accumulate<SQUARED>(x, stride, panel, start, stop); break;
      case ABSOLUTE: accumulate<ABSOLUTE>(x, stride, panel, start, stop); break;
      case MISMATCH: accumulate<MISMATCH>(x, stride, panel, start, stop); break;
      case PRODUCT: expand(x, stride, panel, start, stop); break;
      default: {
        T values[R * WIDTH];
        fill_shannon(values, x, stride, panel, start, stop);
        read(values);
      }
    }
    if (power < 0) {
      T values[R * WIDTH];
      write(values);
      transform(values, R * WIDTH, term.phi, term.parameter);
      read(values);
    } else if (power > 0) {
      KG_UNROLL for (int r = 0; r < R; r++) KG_UNROLL for (int v = 0; v < V; v++) {
        sum[r][v] = square_root(sum[r][v]);
        // √t to t^¼, or to t^¾.
        if (power == 2) sum[r][v] = square_root(sum[r][v]);
        if (power == 3) sum[r][v] = sum[r][v] * square_root(sum[r][v]);
      }
    }
  }

  // Sets values to Σ_t scale_t φ_t, of which the first φ stands there.
  static __attribute__((noinline)) void add_terms(T* values, const T* x, i64 stride,
                                                  const T* panel, const Rule& rule) {
    const T first = static_cast<T>(rule.scales[0]);
    for (int j = 0; j < R * WIDTH; j++) values[j] *= first;
    for (i64 t = 1; t < rule.starts.n; t++) {
      Tile more;
      more.compute(x, stride, panel, Term(rule, t));
      const T scale = static_cast<T>(rule.scales[t]);
      for (int r = 0; r < R; r++)
        for (int v = 0; v < V; v++) {
          T* at = values + r * WIDTH + v * N;
          store<T>(at, load<T>(at) + scale * more.sum[r][v]);
        }
    }
  }

  // Sets the sums to distances by a rule, whose first term is given.
  KG_INLINE void compute_all(const T* x, i64 stride, const T* panel, const Term& first,
                             bool is_one, const Rule& rule) {
    compute(x, stride, panel, first);
    if (is_one) return;
    T values[R * WIDTH];
    write(values);
    add_terms(values, x, stride, panel, rule);
    read(values);
  }
};

inline bool is_one_term(const Rule& rule) { return rule.starts.n == 1 && rule.scales[0] == 1.0; }

// Groups of rows, of which the last may be filled up by copies of the last row.
template <class T> struct Groups {
  Matrix<const T> x;
  Scratch<T> last;

  Groups(Call& call, Matrix<const T> rows) : x(rows), last(call, GROUP<T> * rows.columns) {
    const i64 first = x.rows / GROUP<T> * GROUP<T>;
    if (last && first < x.rows)
      for (int r = 0; r < GROUP<T>; r++)
        memcpy(&last[r * x.columns], x[smaller(first + r, x.rows - 1)], sizeof(T) * x.columns);
  }
  const T* at(i64 row) const { return row + GROUP<T> <= x.rows ? x[row] : last.data; }
};

KG_INLINE void put(double* to, Vec<double> v) { store<double>(to, v); }
KG_INLINE void put(float* to, Vec<float> v) { store<float>(to, v); }
KG_INLINE void put(float* to, Vec<double> v) { store_narrow(to, v); }
KG_INLINE void put(double* to, Vec<float> v) {
  Vec<double> low, high;
  widen(v, low, high);
  store<double>(to, low), store<double>(to + Simd<double>::N, high);
}

// Sets out[r][32 (q − first) + j] to scale times the distances of a group of rows with the panels q;
// `width` lies between two rows of out.
template <class T, class Out>
static void fill_group(const T* x, Cube<const T> panels, i64 first, i64 last, const Rule& rule,
                       T scale, Out* out, i64 width) {
  using Part = Tile<T>;
  const i64 stride = panels.rows;
  const Term term(rule, 0);
  const bool is_one = is_one_term(rule);
  for (i64 q = first; q < last; q++)
    for (int w = 0; w < LANES; w += Part::WIDTH)
      for (int g = 0; g < GROUP<T>; g += Part::R) {
        Part tile;
        tile.compute_all(x + g * stride, stride, panels[q].data + w, term, is_one, rule);
        Out* to = out + g * width + (q - first) * LANES + w;
        KG_UNROLL for (int r = 0; r < Part::R; r++)
          KG_UNROLL for (int v = 0; v < Part::V; v++)
            put(to + r * width + v * Part::N, scale * tile.sum[r][v]);
      }
}

// Sums over 32 lanes in one order: lanes j, j + 16, j + 8 and j + 24 become eight, then as in Lanes.
KG_INLINE double sum_lanes(const Vec<double>* lanes) {
  constexpr int P = Lanes::PARTS;
  Lanes eight;
  KG_UNROLL for (int i = 0; i < P; i++)
    eight.part[i] = (lanes[i] + lanes[i + 2 * P]) + (lanes[i + P] + lanes[i + 3 * P]);
  return eight.sum();
}
KG_INLINE double sum_lanes(const Vec<float>* lanes) {
  constexpr int n = LANES / Simd<float>::N;
  Vec<double> wide[2 * n];
  KG_UNROLL for (int i = 0; i < n; i++) widen(lanes[i], wide[2 * i], wide[2 * i + 1]);
  return sum_lanes(wide);
}
KG_INLINE void add_wide(double* to, Vec<double> v) { store<double>(to, load<double>(to) + v); }
KG_INLINE void add_wide(double* to, Vec<float> v) {
  Vec<double> low, high;
  widen(v, low, high);
  add_wide(to, low), add_wide(to + Simd<double>::N, high);
}

// Adds the distances v of a group of rows with the panels [first, last) to of_rows[r] += Σ_j w_j v_rj
// and, if the rows have weights, to of_columns[j] += Σ_r w_r v_rj. The few pairs of one lane are
// added in T.
template <class T, bool BOTH>
static __attribute__((noinline)) void add_group_sums(const T* x, Cube<const T> panels, i64 first, i64 last,
                              const T* weights, const Rule& rule, double* of_rows,
                              const T* row_weights, double* of_columns) {
  using Part = Tile<T>;
  const i64 stride = panels.rows;
  const Term term(rule, 0);
  const bool is_one = is_one_term(rule);
  Vec<T> across[GROUP<T>][LANES / Part::N] = {};
  for (i64 q = first; q < last; q++)
    for (int w = 0; w < LANES; w += Part::WIDTH) {
      Vec<T> down[Part::V] = {};
      for (int g = 0; g < GROUP<T>; g += Part::R) {
        Part tile;
        tile.compute_all(x + g * stride, stride, panels[q].data + w, term, is_one, rule);
        KG_UNROLL for (int v = 0; v < Part::V; v++) {
          const Vec<T> weight = load<T>(weights + q * LANES + w + v * Part::N);
          KG_UNROLL for (int r = 0; r < Part::R; r++) {
            Vec<T>& sum = across[g + r][w / Part::N + v];
            sum = multiply_add(tile.sum[r][v], weight, sum);
            if constexpr (BOTH)
              down[v] = multiply_add(tile.sum[r][v], splat<T>(row_weights[g + r]), down[v]);
          }
        }
      }
      if constexpr (BOTH)
        KG_UNROLL for (int v = 0; v < Part::V; v++)
          add_wide(of_columns + q * LANES + w + v * Part::N, down[v]);
    }
  KG_UNROLL for (int r = 0; r < GROUP<T>; r++) of_rows[r] += sum_lanes(across[r]);
}

}  // namespace KG_SET
