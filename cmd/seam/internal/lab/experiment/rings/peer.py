"""The other side in Python: reads orders on standard input, a line of JSON each, and serves
each in a thread. It answers on descriptor 3 when it has opened what the order needs."""

import json
import os
import socket
import sys
import threading

import seam_ring


def serve_ring(sock, order):
    conn = seam_ring.Conn(sock)
    if order["Op"] != "throughput":
        conn.spins(2500 if order["Op"] == "rtt-spin" else 0)
    for rec in conn:
        if order["Op"] == "throughput":
            n = int.from_bytes(rec, "little")
            for rec in conn:
                n -= 1
                if n == 0:
                    break
            conn.send(b"")
        else:
            conn.send(rec)


def serve_socket(sock, order):
    size = order["Size"]
    rec = bytearray(size)
    head = bytearray(8)
    while fill(sock, head):
        n = int.from_bytes(head, "little")
        for _ in range(n):
            if not fill(sock, rec):
                return
        sock.sendall(b"\0")


def echo_socket(sock, order):
    rec = bytearray(order["Size"])
    while fill(sock, rec):
        sock.sendall(rec)


def fill(sock, buffer):
    have = sock.recv_into(buffer)
    if have == len(buffer):
        return True
    view = memoryview(buffer)
    while 0 < have < len(buffer):
        more = sock.recv_into(view[have:])
        if more == 0:
            return False
        have += more
    return have != 0


def serve(sock, order):
    try:
        if order["Via"].startswith("seam"):
            serve_ring(sock, order)
        elif order["Op"] == "throughput":
            serve_socket(sock, order)
        else:
            echo_socket(sock, order)
    except (ConnectionError, EOFError):
        pass  # it has hung up


with os.fdopen(3, "w") as answers:
    for line in sys.stdin:
        order = json.loads(line)
        sock = socket.socket(socket.AF_UNIX)
        sock.connect("\0" + order["Socket"])
        threading.Thread(target=serve, args=(sock, order), daemon=True).start()
        answers.write('""\n')
        answers.flush()
