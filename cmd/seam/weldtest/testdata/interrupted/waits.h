int wait_for(int way, int fd, int ms); /* -1: there is something to read; 0: not in time; or errno */
int wait_in(int way, int ms);          /* the same with nothing to read ever */
int killed(int way, int after_ms);     /* the same for 20 s, with a thread that sends SIGUSR1 */
int in_child(int way, int ms);         /* wait_in, in a child process */
int in_handler(int way, int ms);       /* wait_in, on the signal stack */
int blocked(void);                     /* whether the thread has SIGURG blocked */
const char *name_of(int way);          /* NULL: no more ways */
