#include "point.h"
#include "_cgo_export.h"
#include <stdlib.h>

int point_sum(const struct point *p) { return p->x + p->y; }
long point_area(int w, int h) { return (long)w * h; }
void point_visit(int n) { for (int i = 0; i < n; i++) visited(i); }
char *point_name(int n) { char *s = malloc(16); if (s) { s[0] = (char)('a' + n % 26); s[1] = 0; } return s; }
