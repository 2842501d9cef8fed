#ifdef __cplusplus
extern "C" {
#endif
int made_once(void);
int made_after_throw(void);
void barrier_for(int n);
int meet(int n, int rounds);
int latched(int last);
int acquire(int ms);
void release(int n);
int wait_value(int value);
void set_value(int value);
int waits_for_value(void);
int guarded(int ms);
int future(int ms);
int caught(int code, int ms);
#ifdef __cplusplus
}
#endif
