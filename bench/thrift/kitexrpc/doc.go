// Package kitexrpc shows that types of seam gen --kitex are message types for Kitex: its
// tests run Kitex's server and client with our types on one side and Kitex's own on the
// other. Others run them with our own client and server.
package kitexrpc
