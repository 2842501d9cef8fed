//go:build linux && cgo

#include <stddef.h>
#include <stdint.h>

// How the parties hand over.
enum seam_kind { SEAM_PROCESS, SEAM_THREAD, SEAM_FUTEX };

// A peer is the other party of a pair. The caller's thread is the first.
struct seam_peer;

// seam_peer_new starts a peer that touches `words` words at `theirs` whenever
// it gets control. The caller's half will touch `ours`. Both stay the
// caller's and must live until seam_peer_free. Returns 0 or an errno.
int seam_peer_new(struct seam_peer **out, enum seam_kind kind,
                  uint64_t *ours, uint64_t *theirs, size_t words);

// seam_peer_run makes that many round trips on the CPU it is called on and
// restores the calling thread's affinity. Returns 0 or an errno; EPIPE means
// that the peer has gone.
int seam_peer_run(struct seam_peer *p, long rounds);

// seam_peer_tid is the kernel's id of the peer's thread.
int seam_peer_tid(struct seam_peer *p);

// seam_peer_free ends the peer and waits until it is gone.
void seam_peer_free(struct seam_peer *p);

// seam_touch_turns touches both buffers in turn, n touches in all.
void seam_touch_turns(uint64_t *ours, uint64_t *theirs, size_t words, long n);
