//go:build !shared

#include "waits.c.txt"
