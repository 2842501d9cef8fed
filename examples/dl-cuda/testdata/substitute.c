/* A library that stands in for libcuda.so.1 where there is no GPU: one device, whose memory is malloc's. It refuses what
   CUDA refuses: calls before cuInit, and without a context of the calling thread. */
#include <stdlib.h>
#include <string.h>
#include "../cuda/driver.h"

struct CUctx_st { int device; };

static int ready, contexts, blocks;
static __thread CUcontext current;

#define NEEDS_INIT if (!ready) return CUDA_ERROR_NOT_INITIALIZED
#define NEEDS_CONTEXT NEEDS_INIT; if (!current) return CUDA_ERROR_INVALID_CONTEXT

CUresult cuInit(unsigned int flags) {
	if (getenv("SUBSTITUTE_NO_DEVICE")) return CUDA_ERROR_NO_DEVICE;
	if (flags) return CUDA_ERROR_INVALID_VALUE;
	ready = 1;
	return CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int *version) { *version = 12040; return CUDA_SUCCESS; }
CUresult cuGetErrorString(CUresult e, const char **text) {
	switch (e) {
	case CUDA_ERROR_NO_DEVICE: *text = "no CUDA-capable device is detected"; return CUDA_SUCCESS;
	case CUDA_ERROR_OUT_OF_MEMORY: *text = "out of memory"; return CUDA_SUCCESS;
	default: *text = NULL; return CUDA_ERROR_INVALID_VALUE;
	}
}
CUresult cuDeviceGetCount(int *count) { NEEDS_INIT; *count = 1; return CUDA_SUCCESS; }
CUresult cuDeviceGet(CUdevice *device, int ordinal) {
	NEEDS_INIT;
	if (ordinal) return CUDA_ERROR_INVALID_DEVICE;
	*device = 7;
	return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
	NEEDS_INIT;
	if (device != 7) return CUDA_ERROR_INVALID_DEVICE;
	strncpy(name, "substitute", length);
	return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
	NEEDS_INIT;
	if (device != 7) return CUDA_ERROR_INVALID_DEVICE;
	*bytes = 64 << 20;
	return CUDA_SUCCESS;
}
CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device) {
	NEEDS_INIT;
	if (flags || device != 7) return CUDA_ERROR_INVALID_VALUE;
	*context = current = malloc(sizeof **context);
	contexts++;
	return CUDA_SUCCESS;
}
CUresult cuCtxDestroy_v2(CUcontext context) {
	NEEDS_CONTEXT;
	if (context != current || blocks) return CUDA_ERROR_INVALID_VALUE; /* what it has kept is a mistake here */
	free(context);
	current = NULL;
	contexts--;
	return CUDA_SUCCESS;
}
CUresult cuCtxSynchronize(void) { NEEDS_CONTEXT; return CUDA_SUCCESS; }
CUresult cuMemAlloc_v2(CUdeviceptr *memory, size_t bytes) {
	NEEDS_CONTEXT;
	if (getenv("SUBSTITUTE_FULL") && blocks == 1) return CUDA_ERROR_OUT_OF_MEMORY;
	*memory = (CUdeviceptr)(size_t)malloc(bytes);
	blocks++;
	return CUDA_SUCCESS;
}
CUresult cuMemFree_v2(CUdeviceptr memory) { NEEDS_CONTEXT; free((void *)(size_t)memory); blocks--; return CUDA_SUCCESS; }
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) { NEEDS_CONTEXT; memcpy((void *)(size_t)to, from, bytes); return CUDA_SUCCESS; }
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) { NEEDS_CONTEXT; memcpy(to, (void *)(size_t)from, bytes); return CUDA_SUCCESS; }
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) { NEEDS_CONTEXT; memmove((void *)(size_t)to, (void *)(size_t)from, bytes); return CUDA_SUCCESS; }
CUresult cuMemsetD32_v2(CUdeviceptr memory, unsigned int value, size_t count) {
	NEEDS_CONTEXT;
	for (size_t i = 0; i < count; i++) ((unsigned int *)(size_t)memory)[i] = value;
	return CUDA_SUCCESS;
}
/* What is left at the end: nothing, if all was freed. */
int substitute_left(void) { return contexts + blocks; }
