#ifndef POINT_H
#define POINT_H

struct point { int x, y; };

int  point_sum(const struct point *p);
long point_area(int w, int h);
void point_visit(int n);
char *point_name(int n);

#endif
