#include <stdint.h>

typedef struct {
	int64_t n;
	double x;
} seam_dl_pair;

typedef int64_t (*seam_dl_function)(int64_t n, void *data);

int64_t seam_dl_int0(void);
int64_t seam_dl_int2(int64_t a, int64_t b);
int64_t seam_dl_int6(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f);
double seam_dl_float4(double a, double b, double c, double d);
double seam_dl_struct(seam_dl_pair p);
int64_t seam_dl_string(const char *s);
int64_t seam_dl_callback(seam_dl_function f, int64_t n, void *data);

/* The same as package leaf calls them. */
typedef struct {
	int64_t r;
} seam_dl_args0;

typedef struct {
	int64_t a, b, r;
} seam_dl_args2;

typedef struct {
	int64_t a, b, c, d, e, f, r;
} seam_dl_args6;

typedef struct {
	double a, b, c, d, r;
} seam_dl_floats;

typedef struct {
	seam_dl_pair p;
	double r;
} seam_dl_pairs;

typedef struct {
	const char *s;
	int64_t r;
} seam_dl_text;

void seam_dl_leaf_int0(seam_dl_args0 *a);
void seam_dl_leaf_int2(seam_dl_args2 *a);
void seam_dl_leaf_int6(seam_dl_args6 *a);
void seam_dl_leaf_float4(seam_dl_floats *a);
void seam_dl_leaf_struct(seam_dl_pairs *a);
void seam_dl_leaf_string(seam_dl_text *a);
