// One call from Python: its arguments, its results, and what a kernel may ask for meanwhile.
//
// Plain data and functions that are compiled once, in library.cpp: nothing here is inline, since the
// linker might take the copy that was compiled for another processor.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace kg {

// A number (axes = 0) or an array.
struct Value {
  char type;  // as in Python's module struct, for standard sizes: ?, B, H, i, I, q, Q, e, f, d
  bool is_readonly;
  int axes;
  union {
    int64_t integer;
    double real;
    void* data;
  };
  int64_t shape[3];
};

struct Result {
  char type;  // q, d or ?
  double real;
  int64_t integer;
};

enum class Error { none, value, index, memory, interrupt };

struct Call {
  Result results[8];
  int n_results = 0;
  bool has_matched = false;
  int first_misfit = 0;
  Error error = Error::none;
  const char* message = nullptr;
  int64_t work = 0;
  void* thread = nullptr;

  // Let other threads of Python run, and wait for them.
  void release();
  void acquire();
  // Ask Python whether the user has interrupted; true if so.
  bool is_interrupted();
  void fail(Error kind, const char* text);
};

// Memory without Python's lock; null if there is none.
void* borrow(size_t bytes);
void give_back(void* memory);

struct Kernel {
  const char* name;
  bool (*run)(Call&, const Value*, int);
};
struct Kernels {
  const Kernel* list;
  int n;
};

}  // namespace kg
