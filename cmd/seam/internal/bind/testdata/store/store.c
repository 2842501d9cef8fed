#include "store.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct store {
	char *name, key[32], value[64];
	size_t n;
	void (*watch)(long, void *);
	void *watch_data;
	int (*hook)(void *, int);
	void *hook_data;
	void (*drop)(void *);
	store *parent;
};
static int live;
static const char *message = "no message";
store *store_open(const char *name, int flags) {
	if (flags < 0) { errno = EACCES; message = "flags are negative"; return NULL; }
	store *s = calloc(1, sizeof *s);
	s->name = strdup(name ? name : "(none)");
	live++;
	return s;
}
int store_close(store *s) {
	int busy = strcmp(s->name, "stubborn") == 0;
	if (s->drop) s->drop(s->hook_data);
	free(s->name);
	free(s);
	live--;
	return busy ? STORE_FULL : STORE_OK;
}
int store_try(const char *name, store **out) {
	*out = store_open(name, 0);
	message = "it was tried";
	return strcmp(name, "bad") ? STORE_OK : STORE_FULL;
}
const char *store_message(store *s) { return message; }
const char *store_text(int code) { return code == STORE_FULL ? "it is full" : "something else"; }
const char *store_name(store *s) { return s->name; }
int store_put(store *s, const char *key, const void *value, size_t n) {
	if (n > sizeof s->value) return STORE_FULL;
	snprintf(s->key, sizeof s->key, "%s", key);
	if (n) memcpy(s->value, value, n);
	s->n = n;
	return STORE_OK;
}
const void *store_get(store *s, const char *key, size_t *n) { *n = strcmp(key, s->key) ? 0 : s->n; return *n ? s->value : NULL; }
int store_copy(store *s, const char *key, char *room, size_t *n) {
	if (*n < s->n) return STORE_FULL;
	memcpy(room, s->value, s->n);
	*n = s->n;
	return STORE_OK;
}
long store_read(store *s, void *room, int n) {
	if (n == 0) { errno = EINVAL; return -1; }
	memset(room, 'r', n - 1);
	return n - 1;
}
int store_next(store *s, int steps) { return steps > 2 ? STORE_FULL : steps == 2 ? STORE_MORE : STORE_OK; }
double store_dot(const double *a, const double *b, int n) { double x = 0; for (int i = 0; i < n; i++) x += a[i] * b[i]; return x; }
char *store_dump(store *s, int upper) {
	char *c = malloc(100);
	live++;
	snprintf(c, 100, "%s=%zu", s->key, s->n);
	if (upper) for (char *p = c; *p; p++) *p = toupper(*p);
	return c;
}
int store_label(store *s, char **out) { *out = store_dump(s, 1); return strcmp(s->name, "bad") ? STORE_OK : STORE_FULL; }
void store_free(void *p) { if (p) live--; free(p); }
int store_each(store *s, store_visit f, void *data) { int n = 0; if (f) for (long i = 0; i < 3; i++) n += f(data, s->key, i); return n; }
void store_watch(store *s, void (*f)(long, void *), void *data) { s->watch = f; s->watch_data = data; }
int store_hook(store *s, int (*f)(void *, int), void *data, void (*drop)(void *)) {
	if (s->drop) s->drop(s->hook_data);
	s->hook = f; s->hook_data = data; s->drop = drop;
	return STORE_OK;
}
long store_fire(store *s, int x) {
	if (s->watch) s->watch(x, s->watch_data);
	return s->hook ? s->hook(s->hook_data, x) : -1;
}
store *store_parent(store *s) { return s->parent; }
int store_adopt(store *s, store *child, store *other) { s->parent = other; store_close(child); return STORE_OK; }
size_t store_size(store *s, int fail) { return fail ? (size_t)-fail : s->n; }
unsigned store_is_error(size_t n) { return n > (size_t)-100; }
const char *store_error_name(size_t n) { return n == (size_t)-7 ? "seven" : "another"; }
store_kind store_kind_of(store *s) { return s->n > 8 ? STORE_LARGE : STORE_SMALL; }
int store_is_open(store *s) { return s->name != NULL; }
size_t store_count(const char *text, size_t n, char c) { size_t k = 0; while (n-- > 0) k += *text++ == c; return k; }
struct pt store_mid(struct pt a, struct pt b) { struct pt p = {(a.x + b.x) / 2, (a.y + b.y) / 2}; return p; }
int store_live(void) { return live; }
session *session_new(int n) { int *p = malloc(sizeof *p); *p = n; live++; return p; }
int session_number(session *s) { return *(int *)s; }
void session_free(session *s) { live--; free(s); }
