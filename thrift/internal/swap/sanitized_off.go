//go:build !(race || msan || asan)

package swap

const sanitized = false
