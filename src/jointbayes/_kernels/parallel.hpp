// What every kernel file shares: arrays, threads, and the choice of instructions at run time.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "binding.hpp"

// Compile a function once per instruction set; the loader picks the best the machine has. No set
// here fuses multiplication and addition, so rounding is the same on every machine.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__linux__)
#define JB_CLONES __attribute__((target_clones("default", "popcnt", "avx2")))
#else
#define JB_CLONES
#endif

// Counting bits gains most from newer instructions (30 times), so its kernels are written for each
// and chosen here. JOINTBAYES_INSTRUCTIONS=portable or popcnt asks for fewer than the machine has.
#if defined(__x86_64__) && defined(__GNUC__)
#define JB_X86 1
#define JB_POPCNT __attribute__((target("popcnt")))
#define JB_AVX512 __attribute__((target("popcnt,avx512f,avx512bw,avx512vpopcntdq")))
#endif

enum class Instructions { portable, popcnt, avx512 };

inline Instructions instructions() {
  static const Instructions best = [] {
    const char *limit = std::getenv("JOINTBAYES_INSTRUCTIONS");
    const std::string cap = limit ? limit : "";
    Instructions found = Instructions::portable;
#ifdef JB_X86
    if (cap != "portable" && __builtin_cpu_supports("popcnt")) {
      found = Instructions::popcnt;
      if (cap != "popcnt" && __builtin_cpu_supports("avx512bw") &&
          __builtin_cpu_supports("avx512vpopcntdq"))
        found = Instructions::avx512;
    }
#endif
    return found;
  }();
  return best;
}

// Run task(0) … task(n - 1) on up to `threads` threads. Tasks must not share what they write, or
// only add whole numbers to it, so results do not depend on the number of threads.
template <class Task> void parallel_for(int64_t n, int threads, Task task) {
  threads = static_cast<int>(std::min<int64_t>(threads, n));
  if (threads <= 1) {
    for (int64_t i = 0; i < n; ++i) task(i);
    return;
  }
  std::atomic<int64_t> next{0};
  std::exception_ptr failure;
  std::mutex failing;
  auto work = [&] {
    try {
      for (int64_t i; (i = next.fetch_add(1)) < n;) task(i);
    } catch (...) {
      std::lock_guard<std::mutex> lock(failing);
      failure = std::current_exception();
      next = n;
    }
  };
  std::vector<std::thread> crew;
  crew.reserve(threads - 1);
  try {
    for (int t = 1; t < threads; ++t) crew.emplace_back(work);
  } catch (const std::exception &) {
    // The system has no more threads or memory to give: those that there are do the work.
  }
  work();
  for (auto &worker : crew) worker.join();
  if (failure) std::rethrow_exception(failure);
}
