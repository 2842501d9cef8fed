#include "_cgo_export.h"

int in_other_file(int n);
int in_other_file(int n) { return goCalled(n); }
