#include "engine.h"

#include <cmath>
#include <cstddef>
#include <new>
#include <vector>

#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
#include <malloc.h>
#define HAVE_MALLINFO2
#endif

namespace {

// What is known of a user: mean and spread of the amounts, by Welford's method.
struct profile {
  uint64_t user = 0;
  uint64_t seen = 0; // 0: a free place
  uint64_t used = 0; // when, to give up the one that is out of use longest
  double mean = 0, spread = 0;

  double learn(double amount) {
    const double away = amount - mean;
    const double score = seen < 2 ? 0 : std::fabs(away) / std::sqrt(spread / double(seen - 1) + 1);
    seen++;
    mean += away / double(seen);
    spread += away * (amount - mean);
    return score;
  }
};

constexpr size_t places = 8; // for a user: what bounds a call

} // namespace

struct engine {
  std::vector<profile> table;
  uint64_t clock = 0;

  profile &of(uint64_t user) {
    profile *oldest = nullptr;
    for (size_t i = 0; i < places; i++) {
      profile &p = table[(user + i) % table.size()];
      if (p.seen > 0 && p.user == user)
        return p;
      if (oldest == nullptr || p.used < oldest->used)
        oldest = &p;
    }
    *oldest = profile{};
    oldest->user = user;
    return *oldest;
  }
};

engine *engine_new(uint64_t users) {
  try {
    auto *e = new engine;
    try {
      e->table.resize(users < places ? places : users);
    } catch (...) {
      delete e;
      return nullptr;
    }
    return e;
  } catch (...) {
    return nullptr;
  }
}

void engine_free(engine *e) { delete e; }

uint64_t engine_bytes(const engine *e) { return sizeof *e + e->table.capacity() * sizeof(profile); }

uint64_t engine_heap_bytes(void) {
#ifdef HAVE_MALLINFO2
  const struct mallinfo2 m = mallinfo2();
  return m.uordblks + m.hblkhd;
#else
  return 0;
#endif
}

void engine_score(engine_score_args *a) {
  profile &p = a->engine->of(a->user);
  p.used = ++a->engine->clock;
  a->score = p.learn(a->amount);
}
