// Package generic makes and answers Thrift calls whose types a program learns at run time:
// arguments and results are JSON, with the names of fields, and package descriptor says what
// the Thrift file has.
//
//	c := generic.NewClient(caller, set.Service("shop.Orders"), generic.Options{})
//	result, err := c.Call(ctx, "get", []byte(`{"id": 7}`))
//
// The JSON is what encoding/json makes of generated code: structs are objects, enums are their
// names, binaries are base64, doubles that JSON has no numbers for are "NaN", "Infinity" and
// "-Infinity". Maps are objects if their keys are strings, numbers, bools, enums, UUIDs or
// binaries; others are lists of {"key": …, "value": …}. Read is more than that: numbers in
// quotes, numbers of enums, base64 without padding, null for what is absent.
//
// It is for gateways, tests and shells, not for speed.
package generic

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/codec"
	"github.com/seamgo/seam/thrift/descriptor"
)

// Options say how JSON and Thrift become each other. The zero value stands for the defaults.
type Options struct {
	// Limits bound what is read, JSON or Thrift. A message of JSON may take what Limits.Amplify
	// says in Thrift and the other way round. Default: as for other messages.
	Limits thrift.Limits
	// IgnoreUnknown skips fields of JSON that the struct doesn't have, which are errors
	// otherwise. Fields of Thrift messages are skipped in any case, as everywhere.
	IgnoreUnknown bool
	// EnumNumbers writes enums as numbers.
	EnumNumbers bool
	// QuoteI64 writes numbers of 64 bits in quotes: JavaScript has no integers beyond 53 bits.
	QuoteI64 bool
	// BareArgument makes the JSON of functions with one argument that of the argument, as
	// Kitex's generic calls have it, and not an object with one field.
	BareArgument bool
}

// An Exception is one that a function declares.
type Exception struct {
	Name string          // of the field in throws
	Type string          // shop.NotFound
	JSON json.RawMessage // its fields
}

// Error is the type and the fields.
func (e *Exception) Error() string { return e.Type + ": " + string(e.JSON) }

// A Client calls the functions of a service. It is safe for use by several goroutines if its
// Caller is.
type Client struct {
	over    thrift.Caller
	service *descriptor.Service
	opt     Options
}

// NewClient makes a client over a [thrift.Client], a [thrift.Pool] or the like.
func NewClient(over thrift.Caller, service *descriptor.Service, opt Options) *Client {
	return &Client{over, service, opt}
}

// Call calls a function: args is an object with the arguments by name, nil for none. It returns
// the result, which is null for functions without one. Errors are *[Exception], or those of the
// Caller; those about args wrap what package thrift has for messages.
func (c *Client) Call(ctx context.Context, function string, args []byte) ([]byte, error) {
	f := c.service.Function(function)
	if f == nil {
		return nil, fmt.Errorf("service %s has no function %q", c.service.Name, function)
	}
	b, err := c.opt.arguments(f, args)
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", function, err)
	}
	call := &codec.Raw{Binary: b, Shape: shapeOf(f.Args)}
	if f.Oneway {
		return []byte("null"), c.over.Call(ctx, function, call, nil)
	}
	answer := &codec.Raw{Shape: shapeOf(f.Result)}
	if err := c.over.Call(ctx, function, call, answer); err != nil {
		return nil, err
	}
	result, err := c.opt.result(f, answer.Binary)
	if _, declared := err.(*Exception); err != nil && !declared {
		err = fmt.Errorf("call %s: answer: %w", function, err)
	}
	return result, err
}

// arguments makes the struct of a function's arguments.
func (o *Options) arguments(f *descriptor.Function, args []byte) ([]byte, error) {
	if len(args) == 0 {
		args = []byte("{}")
	}
	if o.BareArgument && len(f.Args.Fields) == 1 {
		return o.single(f.Args, f.Args.Fields[0], args)
	}
	return o.ToThrift(f.Args, args)
}

// result makes JSON of what a function has answered.
func (o *Options) result(f *descriptor.Function, b []byte) ([]byte, error) {
	w := o.writer(b)
	found, err := w.only(f.Result)
	switch {
	case err != nil:
		return nil, err
	case found == nil && f.Success().Kind != descriptor.Void:
		return nil, &thrift.ApplicationException{Type: thrift.MissingResult, Message: f.Name + ": neither a result nor an exception"}
	case found == nil:
		return []byte("null"), nil
	case found.ID != 0:
		return nil, &Exception{Name: found.Name, Type: found.Type.String(), JSON: w.out}
	}
	return w.out, nil
}

// A Handler answers calls: args is an object with the arguments by name, with defaults for
// those that are missing; the result is JSON, and anything where the function has none. An
// error that is an *[Exception] with a Name, or a Type, that the function declares is that
// exception; others are as those of any handler.
type Handler func(ctx context.Context, f *descriptor.Function, args []byte) (result []byte, err error)

// NewProcessor makes what a [thrift.Server] answers calls of a service with.
func NewProcessor(service *descriptor.Service, h Handler, opt Options) thrift.Processor {
	return &processor{service, h, opt}
}

type processor struct {
	service *descriptor.Service
	handler Handler
	opt     Options
}

func (p *processor) Process(ctx context.Context, c *thrift.Call) {
	f := p.service.Function(c.Function)
	if f == nil {
		c.UnknownFunction()
		return
	}
	if f.Oneway {
		c.NoReply()
	}
	call := &codec.Raw{Shape: shapeOf(f.Args)}
	if !c.Args(call) {
		return
	}
	args, err := p.opt.FromThrift(f.Args, call.Binary)
	if err == nil && p.opt.BareArgument && len(f.Args.Fields) == 1 {
		w := p.opt.writer(call.Binary)
		if _, err = w.only(f.Args); err == nil && len(w.out) > 0 {
			args = w.out
		}
	}
	if err != nil {
		c.Fail(&thrift.ApplicationException{Type: thrift.ProtocolError, Message: c.Function + ": arguments: " + err.Error()})
		return
	}
	result, err := p.handler(ctx, f, args)
	answer, err := p.answer(f, result, err)
	switch {
	case err != nil:
		c.Fail(err)
	case !f.Oneway:
		c.Reply(&codec.Raw{Binary: answer, Shape: shapeOf(f.Result)})
	}
}

// answer makes the struct of a result.
func (p *processor) answer(f *descriptor.Function, result []byte, err error) ([]byte, error) {
	if e, ok := err.(*Exception); ok {
		for _, x := range f.Throws() {
			if x.Name == e.Name || e.Name == "" && x.Type.String() == e.Type {
				return p.opt.single(f.Result, x, e.JSON)
			}
		}
	}
	switch {
	case err != nil || f.Oneway:
		return nil, err
	case f.Success().Kind == descriptor.Void:
		return []byte{0}, nil
	}
	b, err := p.opt.single(f.Result, f.Result.ByID(0), result)
	if err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	return b, nil
}

// shapes are those of structs, which the JSON protocol needs.
var shapes sync.Map // *descriptor.Struct to *codec.Shape

func shapeOf(s *descriptor.Struct) *codec.Shape {
	if made, ok := shapes.Load(s); ok {
		return made.(*codec.Shape)
	}
	list := map[*descriptor.Struct]*codec.Shape{}
	made := makeShape(s, list)
	for s, shape := range list {
		shapes.LoadOrStore(s, shape)
	}
	return made
}

func makeShape(s *descriptor.Struct, list map[*descriptor.Struct]*codec.Shape) *codec.Shape {
	if made := list[s]; made != nil {
		return made
	}
	made := codec.NewShape(s.Name, s.Category == descriptor.Union)
	list[s] = made
	for _, f := range s.Fields {
		made.Add(f.ID, f.Name, f.Requiredness == descriptor.Required, *shapeType(f.Type, list))
	}
	return made
}

func shapeType(t *descriptor.Type, list map[*descriptor.Struct]*codec.Shape) *codec.ShapeType {
	made := &codec.ShapeType{Wire: wires[t.Kind], Binary: t.Kind == descriptor.Binary}
	if t.Key != nil {
		made.Key = shapeType(t.Key, list)
	}
	if t.Elem != nil {
		made.Elem = shapeType(t.Elem, list)
	}
	if t.Struct != nil {
		made.Struct = makeShape(t.Struct, list)
	}
	return made
}

// wires are the types on the wire.
var wires = [...]codec.Type{
	descriptor.Bool: codec.TypeBool, descriptor.I8: codec.TypeI8, descriptor.I16: codec.TypeI16, descriptor.I32: codec.TypeI32,
	descriptor.I64: codec.TypeI64, descriptor.Double: codec.TypeDouble, descriptor.String: codec.TypeString, descriptor.Binary: codec.TypeString,
	descriptor.UUID: codec.TypeUUID, descriptor.EnumKind: codec.TypeI32, descriptor.StructKind: codec.TypeStruct,
	descriptor.List: codec.TypeList, descriptor.SetKind: codec.TypeSet, descriptor.Map: codec.TypeMap,
}

// objectKey reports whether maps with such keys are objects in JSON.
func objectKey(t *descriptor.Type) bool {
	switch t.Kind {
	case descriptor.StructKind, descriptor.List, descriptor.SetKind, descriptor.Map:
		return false
	}
	return true
}
