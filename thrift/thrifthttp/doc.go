// Package thrifthttp carries Thrift over HTTP, as Apache's HTTP transports do: a call is
// the body of a POST, its answer that of the response, both without a frame.
//
// A server is a [thrift.Server] behind a [Handler] in a server of net/http:
//
//	http.Handle("/orders", thrifthttp.Handler(&thrift.Server{Processor: orders.NewOrdersProcessor(h)}))
//
// The timeouts and the number of connections are those of the http.Server; of the
// thrift.Server, Processor, Decode, ReuseArgs and Logger apply. A client is a generated
// one over a [Client]:
//
//	c := orders.NewOrdersClient(thrifthttp.NewClient("http://localhost:8080/orders", thrifthttp.Options{}))
package thrifthttp
