// Package descriptors compares package descriptor with thriftgo's reflection, in its test.
package descriptors
