int wait_in(int way, int ms); /* 0, or errno */
int blocked(void);            /* whether the thread has SIGURG blocked */
int killed(int way, int ms);  /* the same as wait_in, with a thread that sends SIGUSR1 */
const char *name_of(int way); /* NULL: no more ways */
