// Command main compares structs that are made of parts with the same made in one piece.
package main

import (
	"bytes"
	"fmt"
	oldrand "math/rand"
	"math/rand/v2"
	"os"
	"reflect"
	"testing/quick"

	parted "example.com/parts/parted/large"
	partedviews "example.com/parts/partedviews/large"
	whole "example.com/parts/whole/large"
	wholeviews "example.com/parts/wholeviews/large"
)

type message interface {
	AppendBinary(b []byte) ([]byte, error)
	AppendCompact(b []byte) ([]byte, error)
	DecodeBinary(b []byte) error
	DecodeCompact(b []byte) error
}

var random = oldrand.New(oldrand.NewSource(1))

func main() {
	for round := range 40 {
		compare[parted.Loose, whole.Loose](round)
		compare[parted.Strict, whole.Strict](round)
		compare[parted.Value, whole.Value](round)
		compare[partedviews.Loose, wholeviews.Loose](round)
		compare[partedviews.Strict, wholeviews.Strict](round)
	}
	shuffle()
	unknown()
	fmt.Println("alike")
}

// fill makes a value as testing/quick does, that can be written.
func fill(v reflect.Value, depth int) {
	t := v.Type()
	switch {
	case t.Name() == "Value":
		fill(v.Field(random.Intn(5)), depth) // not UnknownFields
	case t.Kind() == reflect.Struct:
		for k := range t.NumField() {
			if t.Field(k).Name == "UnknownFields" {
				continue
			}
			absent := v.Field(k).Kind() == reflect.Pointer && t.Name() == "Loose" || v.Field(k).Kind() == reflect.Slice || v.Field(k).Kind() == reflect.Map
			if absent && random.Intn(3) == 0 {
				continue
			}
			fill(v.Field(k), depth)
		}
	case t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct:
		if depth < 3 || t.Elem().Name() != "Loose" {
			v.Set(reflect.New(t.Elem()))
			fill(v.Elem(), depth+1)
		}
	case t.Kind() == reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		fill(v.Elem(), depth)
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		v.Set(reflect.MakeSlice(t, 3, 3))
		for k := range 3 {
			fill(v.Index(k), depth)
		}
	case t.Kind() == reflect.Map:
		v.Set(reflect.MakeMap(t))
		key, elem := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		fill(key, depth)
		fill(elem, depth)
		v.SetMapIndex(key, elem)
	case t.Kind() == reflect.String:
		v.SetString(fmt.Sprint(random.Int63()))
	case t.Kind() == reflect.Interface:
	default:
		made, _ := quick.Value(t, random)
		v.Set(made)
	}
}

func check(ok bool, what ...any) {
	if !ok {
		fmt.Println(what...)
		os.Exit(1)
	}
}

func compare[P, W any](round int) {
	p := new(P)
	fill(reflect.ValueOf(p).Elem(), 0)
	a := any(p).(message)
	for _, compact := range []bool{false, true} {
		b := write(a, compact)
		w := any(new(W)).(message)
		read(w, b, compact)
		b2 := write(w, compact)
		check(bytes.Equal(b, b2), round, reflect.TypeOf(p), "is written as", b, "by its parts, and as", b2, "in one piece")
		used := new(P)
		fill(reflect.ValueOf(used).Elem(), 0) // what is there is replaced
		again := any(used).(message)
		read(again, b2, compact)
		check(equal(a, again), round, reflect.TypeOf(p), "isn't what was written")
		clone := reflect.ValueOf(again).MethodByName("Clone").Call(nil)[0].Interface().(message)
		check(equal(a, clone), round, reflect.TypeOf(p), "isn't its clone")
		for k := round % 3; k < len(b); k += 1 + len(b)/50 { // cut off anywhere, both refuse it
			e1, e2 := decode(any(new(P)).(message), b[:k], compact), decode(any(new(W)).(message), b[:k], compact)
			check((e1 == nil) == (e2 == nil), round, reflect.TypeOf(p), "of", k, "bytes:", e1, e2)
		}
	}
	v := reflect.ValueOf(p).Elem()
	for k := range v.NumField() {
		other := reflect.ValueOf(a).MethodByName("Clone").Call(nil)[0]
		field := other.Elem().Field(k)
		empty := field.IsZero() || field.Kind() == reflect.Slice && field.Len() == 0 // which is nil's equal
		if !empty {
			field.SetZero()
			check(!equal(a, other.Interface().(message)), round, v.Type(), v.Type().Field(k).Name, "doesn't count")
		}
	}
}

func equal(a, b message) bool {
	return reflect.ValueOf(a).MethodByName("Equal").Call([]reflect.Value{reflect.ValueOf(b)})[0].Bool()
}

func write(m message, compact bool) []byte {
	b, err := m.AppendBinary(nil)
	if compact {
		b, err = m.AppendCompact(nil)
	}
	check(err == nil, err)
	return b
}

func decode(m message, b []byte, compact bool) error {
	if compact {
		return m.DecodeCompact(b)
	}
	return m.DecodeBinary(b)
}

func read(m message, b []byte, compact bool) {
	err := decode(m, b, compact)
	check(err == nil, reflect.TypeOf(m).Elem().PkgPath(), "compact", compact, err)
}

// shuffle reads fields in any order, some of them twice.
func shuffle() {
	for range 40 {
		p := new(parted.Loose)
		fill(reflect.ValueOf(p).Elem(), 0)
		v := reflect.ValueOf(p).Elem()
		for _, compact := range []bool{false, true} {
			var message []byte
			order := rand.Perm(v.NumField())
			for _, k := range append(order[:5:5], order...) {
				one := new(parted.Loose)
				reflect.ValueOf(one).Elem().Field(k).Set(v.Field(k))
				b := write(one, compact)
				message = append(message, b[:len(b)-1]...) // all numbers are too large for a short distance
			}
			got, want := new(parted.Loose), new(whole.Loose)
			read(got, append(message, 0), compact)
			read(want, append(message, 0), compact)
			check(got.Equal(p), "in another order, compact", compact)
			check(bytes.Equal(write(got, compact), write(want, compact)), "in another order it is not what it is in one piece")
		}
	}
}

// unknown reads what it doesn't know, and fields of another type.
func unknown() {
	for range 40 {
		from := new(wholeviews.Strict)
		fill(reflect.ValueOf(from).Elem(), 0)
		for _, compact := range []bool{false, true} {
			b := write(from, compact)
			p, w := new(partedviews.Loose), new(wholeviews.Loose)
			e1, e2 := decode(p, b, compact), decode(w, b, compact)
			check((e1 == nil) == (e2 == nil), e1, e2)
			if e1 == nil {
				check(bytes.Equal(write(p, compact), write(w, compact)), "what isn't known differs, compact", compact)
			}
			e1, e2 = decode(new(parted.Value), b, compact), decode(new(whole.Value), b, compact)
			check((e1 == nil) == (e2 == nil), e1, e2)
		}
	}
}
