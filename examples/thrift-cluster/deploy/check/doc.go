// Package check holds the files in deploy to what reads them: the manifests are decoded
// strictly into Kubernetes' own types, the Compose file is loaded by Compose's own loader, which
// checks it against its schema, and the configuration and the dashboard's expressions by
// Prometheus' own parsers. Its test also compares the files with each other and with the
// settings that a server knows. It is a module of its own, outside of the workspace, so that
// nothing else depends on all that:
//
//	cd examples/thrift-cluster/deploy/check && GOWORK=off go test .
package check
