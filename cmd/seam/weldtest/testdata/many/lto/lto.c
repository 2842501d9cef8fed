#include "lto.h"

int lto_square(int a) { return a * a; }
