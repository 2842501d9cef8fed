//go:build cgo && linux && !android && (amd64 || arm64) && !msan

package netio

// #cgo CFLAGS: -O2 -Wall -Wextra -fstack-clash-protection -I${SRCDIR}/../../include -I${SRCDIR}/../../internal/csys
// #cgo LDFLAGS: -ldl
// // In a static executable there is no next definition to look up. These names are in the files that have what libc.c
// // refers to weakly, so that the linker takes them. Of a name that nothing refers to it makes no error.
// #cgo LDFLAGS: -Wl,-undefined=___pthread_mutex_lock -Wl,-undefined=___pthread_mutex_timedlock -Wl,-undefined=___pthread_cond_wait
// #cgo LDFLAGS: -Wl,-undefined=___pthread_rwlock_rdlock -Wl,-undefined=___pthread_rwlock_wrlock -Wl,-undefined=___pthread_rwlock_timedrdlock64
// #cgo LDFLAGS: -Wl,-undefined=___pthread_rwlock_timedwrlock64 -Wl,-undefined=___pthread_rwlock_clockrdlock64
// #cgo LDFLAGS: -Wl,-undefined=___pthread_rwlock_clockwrlock64 -Wl,-undefined=___pthread_once -Wl,-undefined=___pthread_join
// #cgo LDFLAGS: -Wl,-undefined=___pthread_timedjoin_np64 -Wl,-undefined=___pthread_clockjoin_np64 -Wl,-undefined=___pthread_barrier_wait
// #cgo LDFLAGS: -Wl,-undefined=__new_sem_trywait -Wl,-undefined=___sem_timedwait64 -Wl,-undefined=___sem_clockwait64 -Wl,-undefined=_IO_flockfile
// #cgo LDFLAGS: -Wl,-undefined=__libc_sigwait -Wl,-undefined=__libc_sigwaitinfo -Wl,-undefined=__libc_sigsuspend -Wl,-undefined=___aio_suspend_time64
// #cgo LDFLAGS: -Wl,-undefined=__new_gethostbyname_r -Wl,-undefined=__new_gethostbyname2_r -Wl,-undefined=__new_gethostbyaddr_r
// #cgo LDFLAGS: -Wl,-undefined=___pthread_mutex_trylock -Wl,-undefined=___pthread_mutex_unlock -Wl,-undefined=___pthread_cond_signal
// #cgo LDFLAGS: -Wl,-undefined=___pthread_cond_broadcast -Wl,-undefined=___pthread_rwlock_unlock -Wl,-undefined=_IO_funlockfile
// #cgo LDFLAGS: -Wl,-undefined=___pthread_barrier_init -Wl,-undefined=_IO_ftrylockfile
import "C"

import (
	_ "github.com/seamgo/seam/coro"          // what the C functions switch to
	_ "github.com/seamgo/seam/internal/csys" // rebuilds this package when a header changes
)
