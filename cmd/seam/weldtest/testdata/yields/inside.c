//go:build !shared

#include "ways.c.txt"
