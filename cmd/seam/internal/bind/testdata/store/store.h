/* A library with every way to own, to fail, and to hand over memory. */
#ifndef STORE_H
#define STORE_H
#include <stddef.h>
#include <stdint.h>

#define STORE_OK 0
#define STORE_MORE 1
#define STORE_FULL (-2)

typedef struct store store;
typedef void session; /* whose pointers are void * to C */
typedef enum { STORE_SMALL, STORE_LARGE } store_kind;
struct pt { double x; int y; };
typedef int (*store_visit)(void *data, const char *key, long n);

store *store_open(const char *name, int flags);
int store_close(store *s);
int store_try(const char *name, store **out);
const char *store_message(store *s);
const char *store_text(int code);
const char *store_name(store *s);
int store_put(store *s, const char *key, const void *value, size_t n);
const void *store_get(store *s, const char *key, size_t *n);
int store_copy(store *s, const char *key, char *room, size_t *n);
long store_read(store *s, void *room, int n);
int store_next(store *s, int steps);
double store_dot(const double *a, const double *b, int n);
char *store_dump(store *s, int upper);
int store_label(store *s, char **out);
void store_free(void *p);
int store_each(store *s, store_visit f, void *data);
void store_watch(store *s, void (*f)(long, void *), void *data);
int store_hook(store *s, int (*f)(void *, int), void *data, void (*drop)(void *));
long store_fire(store *s, int x);
store *store_parent(store *s);
int store_adopt(store *s, store *child, store *other);
size_t store_size(store *s, int fail);
unsigned store_is_error(size_t n);
const char *store_error_name(size_t n);
store_kind store_kind_of(store *s);
int store_is_open(store *s);
size_t store_count(const char *text, size_t n, char c);
struct pt store_mid(struct pt a, struct pt b);
int store_live(void);
session *session_new(int n);
int session_number(session *s);
void session_free(session *s);
static inline int store_twice(int x) { return 2 * x; }
#endif
