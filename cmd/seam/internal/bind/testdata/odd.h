/* Every construct that a generator meets, and names that are none in Go. */
#ifndef ODD_H
#define ODD_H
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define ODD_VERSION 7
#define ODD_NAME "odd" "ity"
#define ODD_HUGE 0xffffffffffffffffULL
#define ODD_NEGATIVE (-3)
#define ODD_HALF 0.5
#define ODD_LIST 1, 2
#define ODD_INIT { 1, 2 }
#define ODD_LINE __LINE__
#define ODD_FORGET ((odd_visit)-1)
#define ODD_MAX(a, b) ((a) > (b) ? (a) : (b))

enum odd_color { ODD_RED = 1, ODD_GREEN, ODD_BLUE = ODD_GREEN, ODD_BLACK = -1 };
enum { ODD_FLAG_A = 1 << 3, ODD_FLAG_B = 1 << 4 };
typedef enum { ODD_UP, ODD_DOWN } odd_way;

typedef struct odd_handle odd_handle; /* behind a handle */
typedef struct odd_other odd_other;
typedef int (*odd_visit)(void *data, long value);

struct odd_point { int x; double y; };
struct odd_bits { unsigned a : 3; int b : 5; unsigned : 0; unsigned long c : 33; char d; };
typedef union { int64_t i; double d; char text[8]; } odd_value;
struct odd_tagged { char kind; odd_value value; struct { short a, b; } inner; union { int n; float f; }; };
struct odd_packed { char a; int b; } __attribute__((packed));
struct odd_tail { int n; int items[]; };
struct odd_type { int type, func, _hidden; int Type; };
struct odd_list { struct odd_list *next; odd_way way; unsigned char sum[5]; };

/* The sum of two numbers.
 *
 * It wraps around. */
int odd_add(int a, int b);

// The number behind it.
long odd_wide(char c, unsigned char u, short s, uint64_t big); /* not about odd_scale */
double odd_scale(struct odd_point p, float by);
struct odd_point odd_make(int x, double y);
odd_handle *odd_open(const char *name);
int odd_value_of(odd_handle *h, long *out);
void odd_close(odd_handle *h);
void odd_other_close(odd_other *o);
int odd_each(odd_handle *h, odd_visit f, void *data);
enum odd_color odd_next(enum odd_color c);
struct odd_bits odd_fields(unsigned a, int b, unsigned long c);
odd_value odd_number(double d);
int odd_keywords(int type, int func, int range, int len, int args, int string);
int odd_Case(int a);
int odd_case(int a);
int odd_array(int rows[][2], int n);
int odd_printf(const char *format, ...);
int odd_vprintf(const char *format, va_list ap);
long double odd_long(long double x);
int odd_missing(void);
static inline int odd_inline(int x) { return x + ODD_VERSION; }
void odd_unnamed(int, char *, double);
#endif
