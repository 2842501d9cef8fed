//go:build race

package coro

const race = true
