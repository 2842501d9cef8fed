// Package peers has clients of Apache's Thrift in Python and Java, which know nothing of Kitex,
// etcd or seam. Its tests build them and have them call the servers of this example.
package peers
