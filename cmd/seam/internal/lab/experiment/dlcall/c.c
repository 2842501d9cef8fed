//go:build linux && (amd64 || arm64)

#include "c.h"

int64_t seam_dl_int0(void) { return 1; }
int64_t seam_dl_int2(int64_t a, int64_t b) { return a + b; }

int64_t seam_dl_int6(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f)
{
	return a + b + c + d + e + f;
}

double seam_dl_float4(double a, double b, double c, double d) { return a + b + c + d; }
double seam_dl_struct(seam_dl_pair p) { return (double)p.n + p.x; }
int64_t seam_dl_string(const char *s) { return s[0]; }
int64_t seam_dl_callback(seam_dl_function f, int64_t n, void *data) { return f(n, data); }

void seam_dl_leaf_int0(seam_dl_args0 *a) { a->r = 1; }
void seam_dl_leaf_int2(seam_dl_args2 *a) { a->r = a->a + a->b; }
void seam_dl_leaf_int6(seam_dl_args6 *a) { a->r = a->a + a->b + a->c + a->d + a->e + a->f; }
void seam_dl_leaf_float4(seam_dl_floats *a) { a->r = a->a + a->b + a->c + a->d; }
void seam_dl_leaf_struct(seam_dl_pairs *a) { a->r = (double)a->p.n + a->p.x; }
void seam_dl_leaf_string(seam_dl_text *a) { a->r = a->s[0]; }
