// Package ctest has C whose stacks the tests of package prof know.
package ctest
