//go:build cgo

#include "_cgo_export.h"

#ifdef _WIN32
#include <windows.h>

static DWORD WINAPI run(void *f) {
	seamOutside((uintptr_t)f);
	return 0;
}

int seam_outside(uintptr_t f) {
	HANDLE thread = CreateThread(NULL, 0, run, (void *)f, 0, NULL);
	if (!thread)
		return (int)GetLastError();
	WaitForSingleObject(thread, INFINITE);
	CloseHandle(thread);
	return 0;
}
#else
#include <pthread.h>

static void *run(void *f) {
	seamOutside((uintptr_t)f);
	return NULL;
}

int seam_outside(uintptr_t f) {
	pthread_t thread;
	int err = pthread_create(&thread, NULL, run, (void *)f);
	if (err == 0)
		pthread_join(thread, NULL);
	return err;
}
#endif
