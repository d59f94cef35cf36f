// What Python loads: kernels by name for each set of instructions, and the one way to call them.
//
// Python's own functions come by address, so that one binary serves every Python, and the library
// needs nothing but memset and memcpy of the system.
#include "blas.hpp"
#include "call.hpp"
// KG_BASELINE_ONLY leaves the other sets out, where a quick build is enough.
#if defined(__x86_64__) && !defined(KG_BASELINE_ONLY)
#define KG_X86_SETS
#include <cpuid.h>
#endif

using namespace kg;

namespace {

// Functions of Python's stable interface, in the order of _FUNCTIONS in kgroups/native/library.py.
struct Python {
  void* (*type_of)(void*);
  int (*is_instance)(void*, void*);
  void (*drop)(void*);
  int64_t (*tuple_size)(void*);
  void* (*tuple_item)(void*, int64_t);
  void* (*new_tuple)(int64_t);
  int (*set_item)(void*, int64_t, void*);
  long long (*as_integer)(void*);
  double (*as_real)(void*);
  void* (*integer)(long long);
  void* (*real)(double);
  void* (*boolean)(long);
  int (*get_buffer)(void*, void*, int);
  void (*release_buffer)(void*);
  int (*check_signals)();
  void* (*save_thread)();
  void (*restore_thread)(void*);
  void* (*error_occurred)();
  void (*set_error)(void*, const char*);
  void* (*format_error)(void*, const char*, ...);
  void* (*allocate)(size_t);
  void (*deallocate)(void*);
  // SciPy's product of two matrices.
  void (*sgemm)(const char*, const char*, const int*, const int*, const int*, const float*,
                const float*, const int*, const float*, const int*, const float*, float*,
                const int*);
  // Types.
  void *array_type, *tuple_type, *integer_type, *boolean_type, *real_type;
  void *type_error, *value_error, *index_error, *memory_error;
};
Python python;

// Py_buffer, which is part of the stable interface.
struct Buffer {
  void* data;
  void* object;
  int64_t bytes, item_size;
  int is_readonly, axes;
  char* format;
  int64_t *shape, *strides, *suboffsets;
  void* internal;
};
constexpr int CONTIGUOUS_WITH_FORMAT = 0x0020 | 0x0010 | 0x0008 | 0x0004;

constexpr int MOST = 64;

struct Arguments {
  Value values[MOST];
  Buffer buffers[MOST];
  int n = 0, n_buffers = 0;

  ~Arguments() {
    for (int i = 0; i < n_buffers; i++) python.release_buffer(&buffers[i]);
  }

  // One argument, or the fields of a tuple one after another.
  bool add(void* object) {
    void* type = python.type_of(object);
    python.drop(type);
    const bool is_plain = type == python.array_type || type == python.real_type ||
                          type == python.integer_type || type == python.boolean_type;
    const int is_tuple = is_plain ? 0 : python.is_instance(object, python.tuple_type);
    if (is_tuple < 0) return false;
    if (is_tuple) {
      const int64_t size = python.tuple_size(object);
      for (int64_t i = 0; i < size; i++)
        if (!add(python.tuple_item(object, i))) return false;
      return true;
    }
    if (n == MOST) return python.set_error(python.type_error, "too many arguments"), false;
    Value& value = values[n++];
    value.axes = 0;
    if (type == python.real_type) {
      value.type = 'd', value.real = python.as_real(object);
      return true;
    }
    if (type == python.integer_type || type == python.boolean_type) {
      value.type = 'q', value.integer = python.as_integer(object);
      return !(value.integer == -1 && python.error_occurred());
    }
    return add_array(object, value);
  }

  bool add_array(void* object, Value& value) {
    Buffer& b = buffers[n_buffers];
    if (python.get_buffer(object, &b, CONTIGUOUS_WITH_FORMAT) < 0) return false;
    n_buffers++;
    value.type = standard_type(b.format, b.item_size);
    value.is_readonly = b.is_readonly;
    value.axes = b.axes;
    if (value.type == 0 || b.axes > 3)
      return python.set_error(python.type_error, "no kernel takes such an array"), false;
    value.data = b.data;
    for (int i = 0; i < b.axes; i++) value.shape[i] = b.shape[i];
    return b.axes > 0 || add_scalar(b.data, value);
  }

  // A scalar of NumPy, which offers a buffer without axes.
  static bool add_scalar(const void* data, Value& value) {
    switch (value.type) {
      case 'q': case 'Q': value.integer = *static_cast<const int64_t*>(data); break;
      case 'i': value.integer = *static_cast<const int32_t*>(data); break;
      case 'I': value.integer = *static_cast<const uint32_t*>(data); break;
      case '?': case 'B': value.integer = *static_cast<const uint8_t*>(data); break;
      case 'd': value.real = *static_cast<const double*>(data); return true;
      case 'f': value.real = *static_cast<const float*>(data); value.type = 'd'; return true;
      default: return python.set_error(python.type_error, "no kernel takes such a number"), false;
    }
    value.type = 'q';
    return true;
  }

  // Letters of the same number on every system; 0 for what is not native or no number.
  static char standard_type(const char* format, int64_t size) {
    // NumPy's mark for arrays whose addresses are no multiples of the size: no loop needs that.
    if (format && format[0] == '=') format++;
    if (!format || format[0] == 0 || format[1] != 0) return 0;
    switch (format[0]) {
      case '?': return '?';
      case 'b': case 'h': case 'i': case 'l': case 'q': case 'n':
        return size == 8 ? 'q' : size == 4 ? 'i' : 0;
      case 'B': case 'H': case 'I': case 'L': case 'Q': case 'N':
        return size == 8 ? 'Q' : size == 4 ? 'I' : size == 2 ? 'H' : 'B';
      case 'e': case 'f': case 'd': return format[0];
    }
    return 0;
  }
};

void* as_object(const Result& r) {
  if (r.type == 'd') return python.real(r.real);
  return r.type == 'q' ? python.integer(r.integer) : python.boolean(r.integer != 0);
}

// One result by itself, several as a tuple, none as an empty tuple.
void* as_objects(const Call& call) {
  if (call.n_results == 1) return as_object(call.results[0]);
  void* made = python.new_tuple(call.n_results);
  for (int i = 0; made && i < call.n_results; i++)
    python.set_item(made, i, as_object(call.results[i]));
  return made;
}

void* error_type(Error kind) {
  return kind == Error::index    ? python.index_error
         : kind == Error::memory ? python.memory_error
                                 : python.value_error;
}

}  // namespace

namespace kg {

void Call::release() { thread = python.save_thread(); }
void Call::acquire() { python.restore_thread(thread); }
bool Call::is_interrupted() {
  acquire();
  if (python.check_signals() < 0) fail(Error::interrupt, nullptr);
  release();
  return error == Error::interrupt;
}
void Call::fail(Error kind, const char* text) { error = kind, message = text; }
void* borrow(size_t bytes) { return python.allocate(bytes); }
void give_back(void* memory) { python.deallocate(memory); }
// The BLAS takes a row of ours for a column.
void multiply(const float* left, const float* right, float* out, int64_t rows, int64_t columns,
              int64_t inner) {
  const int m = static_cast<int>(columns), n = static_cast<int>(rows);
  const int k = static_cast<int>(inner);
  const float one = 1.0f, zero = 0.0f;
  python.sgemm("T", "N", &m, &n, &k, &one, right, &k, left, &k, &zero, out, &m);
}

}  // namespace kg

// Every file of kernels, in a namespace for each set of instructions.
#define X(file) namespace kg_baseline_##file { extern const Kernels file; }
KG_FILES
#undef X
#if defined(KG_X86_SETS)
#define X(file)                                        \
  namespace kg_v3_##file { extern const Kernels file; } \
  namespace kg_v4_##file { extern const Kernels file; }
KG_FILES
#undef X
#endif

namespace {

#define X(file) &kg_baseline_##file::file,
const Kernels* const of_baseline[] = {KG_FILES};
#undef X
#if defined(KG_X86_SETS)
#define X(file) &kg_v3_##file::file,
const Kernels* const of_v3[] = {KG_FILES};
#undef X
#define X(file) &kg_v4_##file::file,
const Kernels* const of_v4[] = {KG_FILES};
#undef X
#endif

struct Set {
  const char* name;
  const Kernels* const* files;
};
const Set sets[] = {
    {"baseline", of_baseline},
#if defined(KG_X86_SETS)
    {"x86-64-v3", of_v3},
    {"x86-64-v4", of_v4},
#endif
};
constexpr int n_sets = sizeof(sets) / sizeof(Set);
constexpr int n_files = sizeof(of_baseline) / sizeof(of_baseline[0]);

const Kernel* kernel(int set, int index) {
  for (int file = 0; file < n_files; file++) {
    const Kernels& kernels = *sets[set].files[file];
    if (index < kernels.n) return &kernels.list[index];
    index -= kernels.n;
  }
  return nullptr;
}

#if defined(KG_X86_SETS)
// What the system saves of the registers when it switches between threads.
unsigned saved_registers() {
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}
#endif

}  // namespace

#if defined(_WIN32)
#define EXPORT extern "C" __declspec(dllexport)
#else
#define EXPORT extern "C" __attribute__((visibility("default")))
#endif

// The last set that this processor and its system support. Not by __builtin_cpu_supports: what it
// reads is never filled by Zig's runtime.
EXPORT int kg_best_set() {
#if defined(KG_X86_SETS)
  unsigned a, b, c, d, b7, c7;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) return 0;
  constexpr unsigned first = bit_AVX | bit_FMA | bit_F16C | bit_MOVBE;
  constexpr unsigned v3 = bit_AVX2 | bit_BMI | bit_BMI2;
  constexpr unsigned v4 =
      bit_AVX512F | bit_AVX512DQ | bit_AVX512CD | bit_AVX512BW | bit_AVX512VL;
  if ((c & first) != first || (saved_registers() & 0x06) != 0x06) return 0;
  if (!__get_cpuid_count(7, 0, &a, &b7, &c7, &d) || (b7 & v3) != v3) return 0;
  return (b7 & v4) == v4 && (saved_registers() & 0xe6) == 0xe6 ? 2 : 1;
#else
  return 0;
#endif
}

// The digest of all files of this folder when the library was built.
EXPORT const char* kg_sources() { return KG_SOURCES; }

EXPORT const char* kg_set_name(int set) { return set < n_sets ? sets[set].name : nullptr; }

EXPORT const char* kg_kernel_name(int set, int index) {
  const Kernel* found = kernel(set, index);
  return found ? found->name : nullptr;
}

EXPORT const void* kg_kernel(int set, int index) { return kernel(set, index); }

EXPORT void kg_initialize(void* const* functions) {
  static_assert(sizeof(Python) == 32 * sizeof(void*), "kgroups/native/library.py lists as many");
  __builtin_memcpy(&python, functions, sizeof(Python));
}

// Calls the first of some kernels of one name whose types fit the arguments, which are a tuple.
EXPORT void* kg_call(const Kernel* first, int n, void* objects) {
  Arguments arguments;
  if (!arguments.add(objects)) return nullptr;
  Call call;
  for (int i = 0; i < n && !call.has_matched; i++)
    first[i].run(call, arguments.values, arguments.n);
  if (!call.has_matched) {
    python.format_error(python.type_error,
                        "%s: argument %d, counted through named tuples, is of a type or number of "
                        "axes that no kernel takes, or cannot be written",
                        first->name, call.first_misfit);
    return nullptr;
  }
  if (call.error == Error::none) return as_objects(call);
  if (call.error != Error::interrupt) python.set_error(error_type(call.error), call.message);
  return nullptr;
}
