//go:build linux && cgo

// seam_spawn_threads creates and joins that many threads, one after the other.
// Returns 0 or an errno.
int seam_spawn_threads(long n);

// seam_spawn_forks forks that many children that exit at once, and waits for
// each. Returns 0 or an errno.
int seam_spawn_forks(long n);

// Threads that wait.
struct seam_park;

// seam_park_new starts n waiting threads and returns when all of them wait.
// Returns 0, or an errno with *started the number that could be started (they
// are gone again).
int seam_park_new(struct seam_park **out, int n, int *started);

// seam_park_free ends the threads and waits until they are gone.
void seam_park_free(struct seam_park *p);
