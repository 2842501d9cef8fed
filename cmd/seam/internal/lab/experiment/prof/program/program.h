// samples sends the thread n SIGPROF, with so many frames of C on the stack.
void samples(int frames, long n);

// work computes, with so many frames of C on the stack.
unsigned long work(int frames, long loops);

// bare has SIGPROF handled by a function that does nothing.
void bare(void);

// gperftools_start returns why there is no profile, or NULL.
const char *gperftools_start(int hz);
void gperftools_stop(void);

// perf_start returns an errno, or 0.
int perf_start(int hz);
void perf_stop(void);
