// How a C++ function becomes a kernel that Python calls: its types are its signature.
//
// A parameter is a number (i64, double, bool), a Vector, Matrix or Cube, or a struct of these, for
// which Python passes a named tuple with the same fields in the same order. An array must have the
// element type, the number of axes and, unless its elements are const, be writable; a kernel that is
// listed several times is called with the first types that fit. A parameter Call& comes first and
// is no argument of Python: it takes errors, and lets Ctrl-C through. A result is a number or a
// struct of numbers.
//
//   KERNELS(file) = {{"name", run<function<float>>}, {"name", run<function<double>>}};
//   KERNELS_END(file)
#pragma once
#include "call.hpp"
#include "values.hpp"

#define KERNELS(file) static constexpr Kernel file##_list[]
#define KERNELS_END(file) \
  extern const Kernels file;  \
  const Kernels file = {file##_list, sizeof(file##_list) / sizeof(Kernel)};

namespace KG_SET {

using kg::Call, kg::Error, kg::Kernel, kg::Kernels, kg::Value;

// False, with an error for Python, unless a condition on the arguments holds.
inline bool require(Call& call, bool holds, const char* message) {
  if (!holds && call.error == Error::none) call.fail(Error::value, message);
  return holds;
}

// Every index lies in [0, stop).
inline bool require_below(Call& call, Vector<const i64> index, i64 stop, const char* message) {
  bool holds = true;
  for (i64 i : index) holds &= static_cast<u64>(i) < static_cast<u64>(stop);
  if (!holds && call.error == Error::none) call.fail(Error::index, message);
  return holds;
}

// Called after some operations of a loop: true if the user has interrupted and the loop must end.
inline bool must_stop(Call& call, i64 operations) {
  constexpr i64 every = 100'000'000;
  call.work += operations;
  if (call.work < every) return false;
  call.work = 0;
  return call.is_interrupted();
}

// Memory for the time of a block.
template <class T> struct Scratch {
  T* data;
  i64 n;
  Scratch(Call& call, i64 size) : data(static_cast<T*>(kg::borrow(sizeof(T) * (size + 1)))), n(size) {
    if (!data) n = 0, call.fail(Error::memory, "no memory for the work of a kernel");
  }
  Scratch(const Scratch&) = delete;
  ~Scratch() { kg::give_back(data); }
  explicit operator bool() const { return data; }
  T& operator[](i64 i) const { return data[i]; }
};

template <class T> constexpr char type_code() {
  if constexpr (__is_same(T, bool)) return '?';
  else if constexpr (__is_same(T, Half)) return 'e';
  else if constexpr (__is_same(T, float)) return 'f';
  else if constexpr (__is_same(T, double)) return 'd';
  else if constexpr (__is_same(T, u16)) return 'H';
  else if constexpr (__is_same(T, int32_t)) return 'i';
  else if constexpr (__is_same(T, u32)) return 'I';
  else if constexpr (__is_same(T, i64)) return 'q';
  else static_assert(sizeof(T) == 0, "no array of Python has such elements");
}

template <class T> struct Plain {
  using type = T;
  static constexpr bool is_const = false;
};
template <class T> struct Plain<const T> {
  using type = T;
  static constexpr bool is_const = true;
};
template <class T> struct Plain<const T&> : Plain<const T> {};

// Reads arguments one after another; `fits` turns false at the first of another type.
struct Reader {
  const Value* values;
  int n, next = 0;
  bool fits = true;

  const Value* take() {
    fits = fits && next < n;
    return fits ? &values[next++] : nullptr;
  }
  template <class T> const Value* array(int axes) {
    const Value* v = take();
    fits = fits && v->axes == axes && v->type == type_code<typename Plain<T>::type>() &&
           (Plain<T>::is_const || !v->is_readonly);
    return fits ? v : nullptr;
  }
};

template <int... I> struct Sequence {};
template <int N, int... I> constexpr auto make_sequence() {
  if constexpr (N == 0) return Sequence<I...>{};
  else return make_sequence<N - 1, N - 1, I...>();
}

// Converts to whatever a field of a struct is, which tells how many fields there are.
struct Anything {
  template <class T> operator T() const;
};
template <class S, class... A> constexpr int count_fields() {
  if constexpr (requires { S{A{}..., Anything{}}; }) return count_fields<S, A..., Anything>();
  else return sizeof...(A);
}

template <class T> struct Read {
  struct Next {
    Reader& reader;
    template <class F> operator F() const { return Read<F>::from(reader); }
  };
  template <int... I> static T fields(Reader& r, Sequence<I...>) {
    return T{(static_cast<void>(I), Next{r})...};
  }
  // A braced list is evaluated from left to right.
  static T from(Reader& r) { return fields(r, make_sequence<count_fields<T>()>()); }
};
template <> struct Read<i64> {
  static i64 from(Reader& r) {
    const Value* v = r.take();
    r.fits = r.fits && v->axes == 0 && v->type == 'q';
    return r.fits ? v->integer : 0;
  }
};
template <> struct Read<bool> {
  static bool from(Reader& r) { return Read<i64>::from(r) != 0; }
};
template <> struct Read<double> {
  static double from(Reader& r) {
    const Value* v = r.take();
    r.fits = r.fits && v->axes == 0 && (v->type == 'd' || v->type == 'q');
    return !r.fits ? 0.0 : v->type == 'd' ? v->real : static_cast<double>(v->integer);
  }
};
template <class T> struct Read<Vector<T>> {
  static Vector<T> from(Reader& r) {
    const Value* v = r.array<T>(1);
    return v ? Vector<T>{static_cast<T*>(v->data), v->shape[0]} : Vector<T>{};
  }
};
template <class T> struct Read<Matrix<T>> {
  static Matrix<T> from(Reader& r) {
    const Value* v = r.array<T>(2);
    return v ? Matrix<T>{static_cast<T*>(v->data), v->shape[0], v->shape[1]} : Matrix<T>{};
  }
};
template <class T> struct Read<Cube<T>> {
  static Cube<T> from(Reader& r) {
    const Value* v = r.array<T>(3);
    return v ? Cube<T>{static_cast<T*>(v->data), v->shape[0], v->shape[1], v->shape[2]} : Cube<T>{};
  }
};

inline void put(Call& call, double x) { call.results[call.n_results++] = {'d', x, 0}; }
inline void put(Call& call, i64 x) { call.results[call.n_results++] = {'q', 0.0, x}; }
inline void put(Call& call, bool x) { call.results[call.n_results++] = {'?', 0.0, x}; }
template <class S> void put(Call& call, const S& s) {
  constexpr int n = count_fields<S>();
  static_assert(n >= 2 && n <= 5, "a result is a number or a struct of two to five");
  if constexpr (n == 2) {
    auto& [a, b] = s;
    put(call, a), put(call, b);
  } else if constexpr (n == 3) {
    auto& [a, b, c] = s;
    put(call, a), put(call, b), put(call, c);
  } else if constexpr (n == 4) {
    auto& [a, b, c, d] = s;
    put(call, a), put(call, b), put(call, c), put(call, d);
  } else {
    auto& [a, b, c, d, e] = s;
    put(call, a), put(call, b), put(call, c), put(call, d), put(call, e);
  }
}

// Reads one parameter after another, then calls F with all of them.
template <auto F, class R, class... Left> struct Apply {
  template <class... Done> static void to(Call& call, Reader& reader, Done&... done) {
    call.first_misfit = call.first_misfit < reader.next ? reader.next : call.first_misfit;
    if (!reader.fits || reader.next != reader.n) return;
    call.has_matched = true;
    call.release();
    if constexpr (__is_same(R, void)) {
      F(done...);
      call.acquire();
    } else {
      const R result = F(done...);
      call.acquire();
      put(call, result);
    }
  }
};
template <auto F, class R, class P, class... Left> struct Apply<F, R, P, Left...> {
  template <class... Done> static void to(Call& call, Reader& reader, Done&... done) {
    const auto value = Read<typename Plain<P>::type>::from(reader);
    Apply<F, R, Left...>::to(call, reader, done..., value);
  }
};
template <auto F, class R, class... Left> struct Apply<F, R, Call&, Left...> {
  template <class... Done> static void to(Call& call, Reader& reader, Done&... done) {
    Apply<F, R, Left...>::to(call, reader, done..., call);
  }
};

template <auto F> struct Run;
template <class R, class... P, R (*F)(P...)> struct Run<F> {
  static bool run(Call& call, const Value* values, int n) {
    Reader reader{values, n};
    Apply<F, R, P...>::to(call, reader);
    return call.has_matched;
  }
};
template <auto F> constexpr bool (*run)(Call&, const Value*, int) = Run<F>::run;

}  // namespace KG_SET
