//go:build asan

//seam:test race nocgo toolchains metal arm64 arm asan pointers

package offload_test

const asan = true
