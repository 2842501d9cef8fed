/* Two threads that tell each other whose turn it is. */
#ifndef SEAM_LAB_WAKE_PAIR_H
#define SEAM_LAB_WAKE_PAIR_H

enum seam_wake_by { SEAM_WAKE_SPIN, SEAM_WAKE_ATOMICS, SEAM_WAKE_SEMAPHORE, SEAM_WAKE_FUTEX, SEAM_WAKE_EVENTFD };

struct seam_wake_pair;

/* Starts the second thread, which sleeps until there is something to do. Returns 0 or an
 * errno. */
int seam_wake_new(struct seam_wake_pair **out, enum seam_wake_by by);

/* Hands the turn over and takes it back, n times. */
void seam_wake_trips(struct seam_wake_pair *p, long n);

/* Tells n times, while nobody sleeps. */
void seam_wake_signal(struct seam_wake_pair *p, long n);

void seam_wake_free(struct seam_wake_pair *p);
#endif
