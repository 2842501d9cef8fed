//go:build !race

package coro

const race = false
