// Package apacherpc shows that our services and those of Apache's Go library talk to each
// other over HTTP and by the multiplexed protocol.
package apacherpc
