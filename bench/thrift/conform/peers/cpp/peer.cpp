// Apache's C++ library as a peer.
//
// peer codec binary|compact|json      reads messages, writes them again
// peer server PROTOCOL TRANSPORT [SERVICE]
//                                     serves, and prints its port first
// peer client PROTOCOL TRANSPORT PORT [SERVICE]
//                                     calls every function of a server
//
// PROTOCOL is binary, old, compact or json, TRANSPORT framed, buffered or http, or for binary
// and compact theader or zlib (THeaderTransport, with compressed messages), SERVICE the name in
// the multiplexed protocol.
//
// old is the binary protocol with the header of messages that has no version.
// Messages on standard input and output have their length in front, 4 bytes, big
// endian.

#include <arpa/inet.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>

#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/processor/TMultiplexedProcessor.h>
#include <thrift/protocol/TCompactProtocol.h>
#include <thrift/protocol/THeaderProtocol.h>
#include <thrift/protocol/TJSONProtocol.h>
#include <thrift/protocol/TMultiplexedProtocol.h>
#include <thrift/server/TThreadedServer.h>
#include <thrift/transport/TBufferTransports.h>
#include <thrift/transport/THttpClient.h>
#include <thrift/transport/THttpServer.h>
#include <thrift/transport/TServerSocket.h>
#include <thrift/transport/TSocket.h>

#include "Echo.h"

using namespace apache::thrift;
using std::make_shared;
using std::shared_ptr;
using std::string;

namespace conform {

// The library leaves the order of structs as keys to its user.
bool Point::operator<(const Point& other) const {
  return x != other.x ? x < other.x : y < other.y;
}

}  // namespace conform

namespace {

shared_ptr<protocol::TProtocolFactory> protocols(const string& name) {
  if (name == "compact") return make_shared<protocol::TCompactProtocolFactory>();
  if (name == "json") return make_shared<protocol::TJSONProtocolFactory>();
  const bool strict = name != "old";
  return make_shared<protocol::TBinaryProtocolFactory>(0, 0, strict, strict);
}

bool headers(const string& transport) { return transport == "theader" || transport == "zlib"; }

uint16_t number(const string& protocol) {
  return protocol == "compact" ? protocol::T_COMPACT_PROTOCOL : protocol::T_BINARY_PROTOCOL;
}

bool readFully(void* to, size_t n) { return fread(to, 1, n, stdin) == n; }

void codec(const string& name) {
  auto factory = protocols(name);
  uint32_t length;
  while (readFully(&length, sizeof length)) {
    string data(ntohl(length), '\0');
    if (!readFully(&data[0], data.size())) throw std::runtime_error("half a message");
    auto in = make_shared<transport::TMemoryBuffer>(reinterpret_cast<uint8_t*>(&data[0]), data.size());
    conform::Everything value;
    value.read(factory->getProtocol(in).get());
    if (in->available_read() != 0) throw std::runtime_error("bytes are left over");
    auto out = make_shared<transport::TMemoryBuffer>();
    value.write(factory->getProtocol(out).get());
    data = out->getBufferAsString();
    length = htonl(data.size());
    fwrite(&length, 1, sizeof length, stdout);
    fwrite(data.data(), 1, data.size(), stdout);
    fflush(stdout);
  }
}

class Handler : public conform::EchoIf {
 public:
  void ping(string& result) override { result = "pong"; }
  void echo(conform::Everything& result, const conform::Everything& value) override { result = value; }
  int64_t add(int64_t a, int64_t b) override { return a + b; }
  void nothing() override {}
  void fail(const string& what) override {
    if (what == "missing") {
      conform::NotFound e;
      e.name = what;
      throw e;
    }
    if (what == "failure") {
      conform::Failure e;
      e.code = 7;
      e.reason = what;
      e.place.x = 1;
      e.place.y = 2;
      e.__isset.place = true;
      throw e;
    }
    throw std::runtime_error(what);
  }
  void note(const string& text) override {
    std::lock_guard<std::mutex> hold(lock);
    kept.push_back(text);
  }
  void notes(std::vector<string>& result) override {
    std::lock_guard<std::mutex> hold(lock);
    result = kept;
  }

 private:
  std::mutex lock;
  std::vector<string> kept;
};

class Announce : public server::TServerEventHandler {
 public:
  explicit Announce(shared_ptr<transport::TServerSocket> s) : socket(s) {}
  void preServe() override { std::cout << socket->getPort() << std::endl; }

 private:
  shared_ptr<transport::TServerSocket> socket;
};

void expect(bool right, const char* what) {
  if (!right) throw std::runtime_error(string("wrong: ") + what);
}

shared_ptr<conform::EchoClient> connect(const string& protocol, const string& transport, int port, const string& service) {
  auto socket = make_shared<transport::TSocket>("127.0.0.1", port);
  shared_ptr<transport::TTransport> over = make_shared<transport::TBufferedTransport>(socket);
  if (transport == "framed") over = make_shared<transport::TFramedTransport>(socket);
  if (transport == "http") over = make_shared<transport::THttpClient>(socket, "127.0.0.1", "/");
  shared_ptr<protocol::TProtocol> speaks;
  if (headers(transport)) {
    auto header = make_shared<protocol::THeaderProtocol>(socket, number(protocol));
    auto below = std::dynamic_pointer_cast<transport::THeaderTransport>(header->getTransport());
    if (transport == "zlib") below->setTransform(transport::THeaderTransport::ZLIB_TRANSFORM);
    header->setHeader("from", "cpp");
    speaks = header;
    over = socket;
  } else {
    speaks = protocols(protocol)->getProtocol(over);
  }
  if (!service.empty()) speaks = make_shared<protocol::TMultiplexedProtocol>(speaks, service);
  over->open();
  return make_shared<conform::EchoClient>(speaks);
}

void call(const string& protocol, const string& transport, int port, const string& service) {
  auto client = connect(protocol, transport, port, service);
  conform::EchoClient& c = *client;
  string text;
  c.ping(text);
  expect(text == "pong", "ping");
  expect(c.add(1LL << 40, -2) == (1LL << 40) - 2, "add");
  conform::Everything value, got;
  value.needed = "needed";
  value.needed_list = {1, -1};
  value.text = "h\xc3\xa4\xc3\x9f \xf0\x9f\x98\x80 \"\\\n";
  value.raw = string("\x00\xff\x80", 3);
  value.real = -0.1;
  value.larges = {INT64_MIN, INT64_MAX};
  value.truths = {true, false};
  value.unique = {3, -3};
  value.names[-5] = "five";
  value.votes[true] = 1;
  value.labels[conform::Point()] = "origin";
  c.echo(got, value);
  expect(got == value, "echo");
  c.nothing();
  try {
    c.fail("missing");
    expect(false, "fail(missing)");
  } catch (const conform::NotFound& e) {
    expect(e.name == "missing", "name of NotFound");
  }
  try {
    c.fail("failure");
    expect(false, "fail(failure)");
  } catch (const conform::Failure& e) {
    expect(e.code == 7 && e.reason == "failure" && e.place.y == 2, "Failure");
  }
  try {
    c.fail("undeclared");
    expect(false, "fail(undeclared)");
  } catch (const TApplicationException& e) {
    expect(e.getType() == TApplicationException::INTERNAL_ERROR, "type of an undeclared error");
  }
  std::vector<string> notes;
  for (const char* text : {"first", "second"}) {
    // The library doesn't read the response of HTTP to a oneway call, and takes it for that to
    // the next: so that is made on another connection, which may be served first.
    auto once = transport == "http" ? connect(protocol, transport, port, service) : client;
    once->note(text);
    for (int k = 0; transport == "http" && k < 6000 && (notes.empty() || notes.back() != text); k++) {
      usleep(10000);
      c.notes(notes);
    }
  }
  c.notes(notes);
  expect(notes == std::vector<string>({"first", "second"}), "notes");
  std::cout << "ok" << std::endl;
}

void serve(const string& protocol, const string& transport, const string& service) {
  auto socket = make_shared<transport::TServerSocket>("127.0.0.1", 0);
  shared_ptr<transport::TTransportFactory> factory = make_shared<transport::TBufferedTransportFactory>();
  if (transport == "framed") factory = make_shared<transport::TFramedTransportFactory>();
  if (transport == "http") factory = make_shared<transport::THttpServerTransportFactory>();
  shared_ptr<TProcessor> processor = make_shared<conform::EchoProcessor>(make_shared<Handler>());
  if (!service.empty()) {
    auto several = make_shared<TMultiplexedProcessor>();
    several->registerProcessor(service, processor);
    processor = several;
  }
  if (headers(transport)) {
    // Without a factory of its own the answer goes by the protocol that has read the call.
    server::TThreadedServer s(processor, socket, make_shared<transport::TTransportFactory>(), make_shared<transport::TTransportFactory>(),
                              make_shared<protocol::THeaderProtocolFactory>(), nullptr);
    s.setServerEventHandler(make_shared<Announce>(socket));
    s.serve();
    return;
  }
  server::TThreadedServer s(processor, socket, factory, protocols(protocol));
  s.setServerEventHandler(make_shared<Announce>(socket));
  s.serve();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 3 && string(argv[1]) == "codec") {
      codec(argv[2]);
    } else if (argc >= 4 && string(argv[1]) == "server") {
      serve(argv[2], argv[3], argc > 4 ? argv[4] : "");
    } else if (argc >= 5 && string(argv[1]) == "client") {
      call(argv[2], argv[3], atoi(argv[4]), argc > 5 ? argv[5] : "");
    } else {
      std::cerr << "see the head of peer.cpp" << std::endl;
      return 2;
    }
  } catch (const std::exception& e) {
    std::cerr << e.what() << std::endl;
    return 1;
  }
}
