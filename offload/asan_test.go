//go:build asan

package offload_test

const asan = true
