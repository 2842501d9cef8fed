#include "odd.h"
#include <stdlib.h>
#include <string.h>
struct odd_handle { long value; };
int odd_add(int a, int b) { return (int)((unsigned)a + (unsigned)b); }
long odd_wide(char c, unsigned char u, short s, uint64_t big) { return c + u + s + (long)big; }
double odd_scale(struct odd_point p, float by) { return (p.x + p.y) * by; }
struct odd_point odd_make(int x, double y) { struct odd_point p = {x, y}; return p; }
odd_handle *odd_open(const char *name) { odd_handle *h = malloc(sizeof *h); h->value = (long)strlen(name); return h; }
int odd_value_of(odd_handle *h, long *out) { *out = h->value; return 0; }
void odd_other_close(odd_other *o) { (void)o; }
void odd_close(odd_handle *h) { free(h); }
int odd_each(odd_handle *h, odd_visit f, void *data) { int n = 0; for (long i = 0; i < h->value; i++) n += f(data, i); return n; }
enum odd_color odd_next(enum odd_color c) { return c + 1; }
struct odd_bits odd_fields(unsigned a, int b, unsigned long c) { struct odd_bits x; memset(&x, 0, sizeof x); x.a = a; x.b = b; x.c = c; x.d = 'd'; return x; }
odd_value odd_number(double d) { odd_value v; v.d = d; return v; }
int odd_keywords(int type, int func, int range, int len, int args, int string) { return type + 2 * func + 3 * range + 4 * len + 5 * args + 6 * string; }
int odd_Case(int a) { return a; }
int odd_case(int a) { return -a; }
int odd_array(int rows[][2], int n) { int sum = 0; while (n-- > 0) sum += rows[n][0] * rows[n][1]; return sum; }
int odd_printf(const char *format, ...) { return 0; }
int odd_vprintf(const char *format, va_list ap) { return 0; }
long double odd_long(long double x) { return x; }
void odd_unnamed(int a, char *b, double c) { if (b) *b = (char)(a + (int)c); }
