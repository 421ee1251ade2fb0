/* Forced in front of every C++ file of llama.cpp (devtools/llama.py), where it concerns AMX kernels alone.
 *
 * GCC before 13.2.1 tells its optimiser that ldtilecfg reads 8 bytes, though it reads 64. So the compiler drops the
 * stores to the rest of the tile configuration, and the first tile instruction is an illegal one. Here the instruction
 * is given the whole of what it reads. Later compilers, and Clang, have it right.
 * Source: amxtileintrin.h of GCC 12.2 and of 13.2.1; llama.cpp pull request 26954.
 */
#if defined(__AMX_TILE__) && defined(__GNUC__) && !defined(__clang__)
#if __GNUC__ * 10000 + __GNUC_MINOR__ * 100 + __GNUC_PATCHLEVEL__ < 130201
#include <immintrin.h>

static inline void slipstream_tile_loadconfig(const void * config) {
    __asm__ volatile("ldtilecfg\t%X0" : : "m"(*(const char(*)[64]) config));
}

#define _tile_loadconfig slipstream_tile_loadconfig
#endif
#endif
