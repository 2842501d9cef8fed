#pragma once

// By value C takes these from where Go has no such value: the functions can't be bound without cgo.
struct quad { long double x; };
double strange_quad(struct quad v);
#pragma pack(1)
typedef struct { char c; double d; } strange_packed;
typedef struct { strange_packed p; short s; } strange_nested;
#pragma pack()
double strange_pass(strange_packed v);
double strange_pass_nested(strange_nested v);
double strange_read(const strange_nested *v);
struct wide { int a __attribute__((aligned(32))); };
int strange_wide(struct wide v);
typedef float strange_v2 __attribute__((vector_size(8)));
union vectors { strange_v2 v; int i; };
int strange_vectors(union vectors v);

// The front end gives this an alignment that the compiler doesn't.
struct pair { strange_v2 v; };
int strange_pair(struct pair v);
int strange_pair_at(struct pair *v);

// Constants of an enum are ints, though its type is unsigned.
enum positive { FIVE = 5 };
enum negative { MINUS_FIVE = -FIVE, ONE = 1 };
enum negative strange_negative(enum negative x);
struct fields { enum negative e : 4; unsigned a : 3; int A; unsigned Members : 1; };
#define STRANGE_MINUS (-FIVE)

// Names that become one.
int strange_run(int a);
int strange_run_args(int args, int args_);
typedef int (*strange_fn)(int result, int *result_, int a, int A, int _x);

// A macro is in the way of the function.
int strange_shadowed(int a, int b);
#define strange_shadowed(a) ((void)(a))
