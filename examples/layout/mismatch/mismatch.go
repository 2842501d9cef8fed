// Package mismatch builds, but is wrong: its types are not laid out like C's. Run
// seam layout on it to see what a mismatch looks like.
package mismatch

/*
#include <stdint.h>

// As it comes from the network.
#pragma pack(push, 1)
struct packet {
	uint8_t kind;
	uint64_t value;
	uint16_t length;
};
#pragma pack(pop)

struct sample {
	uint32_t id;
	uint32_t channel;
	double value;
	float error;
	_Bool valid;
	unsigned rising : 1, falling : 1;
};
*/
import "C"

// Packet looks like struct packet, which is packed: in Go Value lies at 8, not
// at 1.
//
//seam:layout struct packet
type Packet struct {
	Kind   uint8
	Value  uint64
	Length uint16
}

// CgoPacket is what cgo makes of it. It has the size of C's, but cgo has left
// out the fields that Go can't align.
//
//seam:layout struct packet
type CgoPacket = C.struct_packet

// Sample was written before C got a channel, and takes an int for a float.
//
//seam:layout struct sample
type Sample struct {
	ID    uint32
	Value float64
	Error int32
	Valid bool
}
