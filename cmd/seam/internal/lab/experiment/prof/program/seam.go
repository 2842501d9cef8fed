//go:build prof_program && prof_seam

package main

import _ "github.com/seamgo/seam/prof"
