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

int by_thread(uintptr_t h, int n);
int wide(uintptr_t h, int i);
void set_exit(uintptr_t h);
void hold(int ms);
void leave(int code);
void catch_signal(void);
int raises(void);
int forks(int code);
void catch_posts(void);
void take_post(void);
int send_post(int tid);
int sent_posts(void);
int handler_calls(uintptr_t h);
int lock_over_go(uintptr_t h, int i);
int lock_plainly(void);
int plain_open(const char *path);
int plain_close(void);
int plain_pair(int n, int ms);
int plain_line(int n);
int once_only(void);
void hold_timed(void);
int is_held(void);
void end_hold(void);
int try_timed(int ms);
int lock_again(uintptr_t h, int depth);
