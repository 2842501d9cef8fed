/* A library that waits, calls back, and knows its threads. */
#ifndef WAIT_H
#define WAIT_H
#include <stddef.h>
typedef struct waiter waiter;
typedef struct { double x; long n; } pair;
long wait_read(int fd, void *room, size_t n);
waiter *wait_new(int fd);
void wait_free(waiter *w);
int wait_each(waiter *w, int n, int (*f)(void *data, int i, pair p), void *data);
pair wait_pair(pair ctx, int context);
int wait_thread(void);
int wait_live(void);
#define WAIT_VERSION 20100
#define WAIT_NAME "2.1-rc1"
int wait_version(void);
const char *wait_name(void);
int wait_calls(void);
int wait_deep(int bytes);
static inline int wait_twice(int n) { return 2 * n; }
#endif
