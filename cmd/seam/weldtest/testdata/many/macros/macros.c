#include "words.h"
#include "_cgo_export.h"

int add(int a, int b) { return a - b; }
int macro_sum(void) { return budget + entry + leaf; }
int through(int a) { return goBack(a); }
