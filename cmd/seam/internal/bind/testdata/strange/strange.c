#include "strange.h"
#undef strange_shadowed

double strange_quad(struct quad v) { return v.x; }
double strange_pass(strange_packed v) { return v.d + v.c; }
double strange_pass_nested(strange_nested v) { return v.p.d + v.s; }
double strange_read(const strange_nested *v) { return v->p.c + v->p.d + v->s; }
int strange_wide(struct wide v) { return v.a; }
int strange_vectors(union vectors v) { return v.i; }
int strange_pair(struct pair v) { return v.v[0]; }
int strange_pair_at(struct pair *v) { return v->v[1]; }
enum negative strange_negative(enum negative x) { return x; }
int strange_run(int a) { return a + 1; }
int strange_run_args(int a, int b) { return a - b; }
int strange_shadowed(int a, int b) { return a * b; }
