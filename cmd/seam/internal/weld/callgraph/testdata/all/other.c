#include <unistd.h>
#include "all.h"

/* The name is that of a static function of the other file. */
static __attribute__((noinline, noclone)) int same_name(int x) { return usleep(x); }
int other_static(int x) { return same_name(x) + 1; }
int shared(int x) { return x * 2; }
