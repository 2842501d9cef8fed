// The scoring engine: how unusual is an order for its user?
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct engine engine;

typedef struct {
  engine *engine;
  uint64_t user;    // a hash of the name
  double amount;    // of the order
  double score;     // out
} engine_score_args;

// engine_new makes an engine that remembers about so many users; NULL: no memory.
engine *engine_new(uint64_t users);
void engine_free(engine *e);
uint64_t engine_bytes(const engine *e);

// engine_heap_bytes is what malloc has given out in this process, 0 where it can't be asked.
uint64_t engine_heap_bytes(void);

// engine_score scores an order and learns from it. It is a leaf function: it looks at
// eight places at most, and neither blocks nor allocates. Calls take turns.
void engine_score(engine_score_args *a);

#ifdef __cplusplus
}
#endif
