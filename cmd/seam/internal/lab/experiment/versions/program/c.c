#include "_cgo_export.h"

int add(int a, int b) { return a + b; }

void call_back(int n)
{
	int i, sum = 0;
	for (i = 0; i < n; i++)
		sum = goAdd(sum, 1);
}
