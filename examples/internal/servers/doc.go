// Package servers starts a redis-server, a PostgreSQL or an etcd for a test or an example:
// on loopback and a Unix socket, with its data in a temporary folder, for as long
// as this process lives.
//
// It needs Debian's packages redis-server, postgresql and etcd-server, or the same programs
// from elsewhere, and says so if they are missing.
package servers
