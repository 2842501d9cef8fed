typedef void (*into_go)(void); /* calls Go */

const char *lock_name(int way); /* NULL: no more ways */
void reset(void);
int held(int way, int who, into_go f); /* locks, calls Go, unlocks; an error of the lock, or 0 */

const char *wait_name(int way);
int wait_way(int way, into_go f); /* until let_go; 0, or what was wrong */
void let_go(int way);

const char *time_name(int way);
int in_time(int way, int ms, int bad); /* waits for nobody, with a time that may be wrong; the error */

int in_child(int by_vfork, into_go f); /* a child waits and is killed; 0 if its parent sees that, and calls Go */
