#include <stdint.h>

int sleep_ms(int ms);
int pipe_pass(int from, int to);
int socket_echo(int fd, int n);
long sum(int a, long b, char c, double d);
int lock_over_sleep(int kind, int ms);
void waiter(void);
int waiting(void);
void wake_all(void);
void sem_down(void);
void sem_up(void);
int timed(int ms);
int thread_joined(int ms);
int call_back(uintptr_t h, int n, int ms);
int deep(int kib);
int raw_futex(int ms);
int set_errno(int e, int ms);
int same_thread(int ms);
int many_fds(int a, int b, int ms);

void c11_waiter(void);
int c11_waiting(void);
void c11_wake(int all);
int c11_lock_over_sleep(int ms);
int c11_timed(int ms);
int c11_joined(int ms);

int shared_open(const char *path);
int shared_close(void);
int shared_write(int n, int ms);
