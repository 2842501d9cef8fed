#include <math.h>

static double found(double x) { return floor(sqrt(x)); }
