package main

import (
	"encoding/binary"
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	vector = 32 // bytes of a YMM register
	unroll = 4  // vectors in a turn of the main loop
)

func kernels() (*ir.File, error) {
	c := build.NewContext()
	c.ConstraintExpr("gc")
	for _, word := range []int{2, 4, 8} {
		reverse(c, word)
	}
	shifted(c)
	bools(c)
	cpuid(c)
	xgetbv(c)
	return c.Result()
}

// reverse generates the kernel that reverses the bytes of words of that size.
func reverse(c *build.Context, word int) {
	name := fmt.Sprintf("reverse%d", word*8)
	// VPSHUFB works within 16 bytes, so one such mask serves both halves.
	mask := c.StaticGlobal(name + "mask")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := 0; i < 16; i += 8 {
		var from [8]byte
		for j := range from {
			from[j] = byte((i+j)/word*word + word - 1 - j%word)
		}
		c.AddDatum(i, operand.U64(binary.LittleEndian.Uint64(from[:])))
	}
	doc := []string{
		fmt.Sprintf("%s reverses the bytes of each %d-byte word of n bytes from src to dst.", name, word),
		fmt.Sprintf("n is a multiple of %d and at least %d.", word, vector),
	}
	each(c, name, doc,
		func(constant reg.VecVirtual) { c.VBROADCASTI128(mask, constant) },
		func(constant, v reg.VecVirtual) { c.VPSHUFB(constant, v, v) })
}

// shifted generates the kernel that stores to aligned addresses wherever words
// begin: a vector then begins and ends inside of a word, and its bytes come
// from two loads.
func shifted(c *build.Context) {
	c.Function("shifted64")
	c.Doc(
		"shifted64 reverses 8-byte words from src to n vectors of 32 bytes at dst, which is",
		"aligned to 32 and inside of the word at src. The masks say which bytes of a vector",
		"come from src and which from 16 bytes behind. n+1 vectors are read.")
	c.Pragma("noescape")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(dst, src *byte, n int, masks *[64]byte)")
	dst := c.Load(c.Param("dst"), c.GP64())
	src := c.Load(c.Param("src"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	masks := c.Load(c.Param("masks"), c.GP64())
	first, second := c.YMM(), c.YMM()
	c.VMOVDQU(operand.Mem{Base: masks}, first)
	c.VMOVDQU(operand.Mem{Base: masks, Disp: vector}, second)

	current := c.YMM()
	c.VMOVDQU(operand.Mem{Base: src}, current)
	turn := func(label string, count int, again func(operand.Op)) {
		c.Label(label)
		for i := range count {
			next, between := c.YMM(), c.YMM()
			c.VMOVDQU(operand.Mem{Base: src, Disp: (i + 1) * vector}, next)
			c.VPERM2I128(operand.U8(0x21), next, current, between) // 16 bytes behind current
			c.VPSHUFB(first, current, current)
			c.VPSHUFB(second, between, between)
			c.VPOR(current, between, between)
			c.VMOVDQU(between, operand.Mem{Base: dst, Disp: i * vector}) // aligned, but nothing depends on it
			c.VMOVDQA(next, current)
		}
		c.ADDQ(operand.I32(count*vector), src)
		c.ADDQ(operand.I32(count*vector), dst)
		c.SUBQ(operand.I32(count), n)
		again(operand.LabelRef(label))
	}
	c.SUBQ(operand.I32(unroll), n)
	c.JLT(operand.LabelRef("rest"))
	turn("many", unroll, c.JGE)
	c.Label("rest")
	c.ADDQ(operand.I32(unroll), n)
	c.JLE(operand.LabelRef("end"))
	turn("one", 1, c.JGT)
	c.Label("end")
	c.VZEROUPPER()
	c.RET()
}

// bools generates the kernel that makes bytes 0 or 1.
func bools(c *build.Context) {
	ones := c.StaticGlobal("ones")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 2 {
		c.AddDatum(i*8, operand.U64(0x0101010101010101))
	}
	doc := []string{
		"truth copies n bytes from src to dst, with 1 in place of all that are not 0.",
		fmt.Sprintf("n is at least %d.", vector),
	}
	each(c, "truth", doc,
		func(constant reg.VecVirtual) { c.VBROADCASTI128(ones, constant) },
		func(constant, v reg.VecVirtual) { c.VPMINUB(constant, v, v) })
}

// each generates a function that applies an operation to every vector of an
// area. The last vector may overlap the one before. It is loaded first and
// stored last, so that it is right also where dst is src.
func each(c *build.Context, name string, doc []string, load func(constant reg.VecVirtual), apply func(constant, v reg.VecVirtual)) {
	c.Function(name)
	c.Doc(doc...)
	c.Pragma("noescape")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(dst, src *byte, n int)")
	dst := c.Load(c.Param("dst"), c.GP64())
	src := c.Load(c.Param("src"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())

	constant := c.YMM()
	load(constant)
	last, lastDst := c.YMM(), c.GP64()
	c.VMOVDQU(operand.Mem{Base: src, Index: n, Scale: 1, Disp: -vector}, last)
	c.LEAQ(operand.Mem{Base: dst, Index: n, Scale: 1, Disp: -vector}, lastDst)
	apply(constant, last)

	// turn moves count vectors and returns to label while more are left.
	turn := func(label string, count int, again func(operand.Op)) {
		c.Label(label)
		v := make([]reg.VecVirtual, count)
		for i := range v {
			v[i] = c.YMM()
			c.VMOVDQU(operand.Mem{Base: src, Disp: i * vector}, v[i])
		}
		for i := range v {
			apply(constant, v[i])
		}
		for i := range v {
			c.VMOVDQU(v[i], operand.Mem{Base: dst, Disp: i * vector})
		}
		c.ADDQ(operand.I32(count*vector), src)
		c.ADDQ(operand.I32(count*vector), dst)
		c.SUBQ(operand.I32(count*vector), n)
		again(operand.LabelRef(label))
	}

	c.SUBQ(operand.I32(unroll*vector), n)
	c.JLT(operand.LabelRef("rest"))
	turn("many", unroll, c.JGE)

	c.Label("rest")
	c.Comment("What is left and no more than a vector is left to the last one.")
	c.ADDQ(operand.I32((unroll-1)*vector), n)
	c.JLE(operand.LabelRef("end"))
	turn("one", 1, c.JGT)

	c.Label("end")
	c.VMOVDQU(last, operand.Mem{Base: lastDst})
	c.VZEROUPPER()
	c.RET()
}

func cpuid(c *build.Context) {
	c.Function("cpuid")
	c.Doc("cpuid asks the processor what it can do.")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(leaf, subleaf uint32) (a, b, c, d uint32)")
	c.Load(c.Param("leaf"), reg.EAX)
	c.Load(c.Param("subleaf"), reg.ECX)
	c.CPUID()
	for i, r := range []reg.Register{reg.EAX, reg.EBX, reg.ECX, reg.EDX} {
		c.Store(r, c.Return(string("abcd"[i])))
	}
	c.RET()
}

func xgetbv(c *build.Context) {
	c.Function("xgetbv")
	c.Doc("xgetbv returns the low half of XCR0: which registers the system keeps for", "each thread.")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func() uint32")
	c.XORL(reg.ECX, reg.ECX)
	c.XGETBV()
	c.Store(reg.EAX, c.ReturnIndex(0))
	c.RET()
}
