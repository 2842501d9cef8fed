#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef int (*function)(int);
int add(int a, int b);
int add2(int a, int b);
int walks(int n);
int even(int n);
int by_pointer(function f, int x);
int by_ifunc(int x);
int by_alias(int x);
int calls_go(int x);
int calls_go_deep(int x);
void prints(int x);
void locks_up(void);
void joins(void);
int joins_deep(int x);
void sorts(int *list, size_t n);
long enters_kernel(long n);
void fence(void);
int unknown(int x);
int allocates(int n);
int aborts(int x);
int asserts(int x);
int asserts_inline(int x);
int logs_and_goes_on(int x);
int on_stack(int n);
int big_frame(int n);
int cxx_virtual(void *p);
int cxx_plain(int n);
int other_static(int x);
int with_errno(int x);
int shared(int x);
#ifdef __cplusplus
}
#endif
