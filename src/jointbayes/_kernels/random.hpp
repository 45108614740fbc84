// Random numbers as a function of their position: any number of any stream without the ones before
// it, so that results depend on a seed alone and not on who draws first.
#pragma once
#include <cstdint>

// splitmix64 (Steele, Lea & Flood 2014).
inline uint64_t stream(uint64_t key, uint64_t index) {
  uint64_t z = key + 0x9E3779B97F4A7C15ull * (index + 1);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

// Uniform in [0, 1).
inline double uniform(uint64_t key, uint64_t index) {
  return static_cast<double>(stream(key, index) >> 11) * 0x1p-53;
}

// Uniform among 0 … n − 1.
inline int64_t below(uint64_t key, uint64_t index, int64_t n) {
  return static_cast<int64_t>(uniform(key, index) * static_cast<double>(n));
}
