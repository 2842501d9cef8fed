package codec_test

import (
	"errors"
	"testing"

	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/codec"
	"github.com/seamgo/seam/thrift/internal/kinds"
)

func TestWhatCanNotBeWrittenIsAnErrorWithItsPath(t *testing.T) {
	required := func() *kinds.Required {
		return &kinds.Required{APoint: &kinds.Point{}}
	}
	flag := thrift.Ptr(true)
	for _, x := range []struct {
		message thrift.Message
		want    string
		kind    error
	}{
		{(*kinds.Point)(nil), "Point: struct is nil", thrift.ErrNil},
		{(*kinds.Choice)(nil), "Choice: struct is nil", thrift.ErrNil},
		{&kinds.Required{}, "Required.a_point: struct is nil", thrift.ErrNil},
		{&kinds.Everything{RequiredOnes: &kinds.Required{}}, "Everything.required_ones.a_point: struct is nil", thrift.ErrNil},
		{&kinds.Choice{}, "Choice: union needs exactly one field", thrift.ErrUnion},
		{&kinds.Choice{Flag: flag, Text: thrift.Ptr("")}, "Choice: union needs exactly one field", thrift.ErrUnion},
		{&kinds.Choice{Other: &kinds.Choice{}}, "Choice.other: union needs exactly one field", thrift.ErrUnion},
		{&kinds.Wide{}, "Wide: union needs exactly one field", thrift.ErrUnion},
		{&kinds.Wide64{M1: thrift.Ptr(""), M64: thrift.Ptr(int32(1))}, "Wide64: union needs exactly one field", thrift.ErrUnion},
		{&kinds.Lists{Points: []*kinds.Point{{}, nil}}, "Lists.points[1]: struct is nil", thrift.ErrNil},
		{&kinds.Lists{Choices: []*kinds.Choice{{Flag: flag}, {Flag: flag}, {}}}, "Lists.choices[2]: union needs exactly one field", thrift.ErrUnion},
		{&kinds.Lists{Nothings: []*kinds.Nothing{nil}}, "Lists.nothings[0]: struct is nil", thrift.ErrNil},
		{&kinds.Sets{Points: []*kinds.Point{nil}}, "Sets.points[0]: struct is nil", thrift.ErrNil},
		{&kinds.Maps{ByColour: map[kinds.Colour]*kinds.Point{kinds.Colour_RED: nil}}, "Maps.by_colour[RED]: struct is nil", thrift.ErrNil},
		{&kinds.Maps{Choices: map[string]*kinds.Choice{"a \"key\"": {}}}, `Maps.choices["a \"key\""]: union needs exactly one field`, thrift.ErrUnion},
		{&kinds.Maps{Choices: map[string]*kinds.Choice{"012345678901234567890123456789\u20ac and more": {}}}, `Maps.choices["012345678901234567890123456789…"]: union needs exactly one field`, thrift.ErrUnion},
		{&kinds.Maps{Lists: map[int32][]*kinds.Point{-7: {{}, {}, nil}}}, "Maps.lists[-7][2]: struct is nil", thrift.ErrNil},
		{&kinds.Maps{ByPoint: []thrift.Pair[*kinds.Point, kinds.Colour]{{Key: &kinds.Point{}}, {}}}, "Maps.by_point[1].key: struct is nil", thrift.ErrNil},
		{&kinds.Maps{ByChoice: []thrift.Pair[*kinds.Choice, *kinds.Nothing]{{Key: &kinds.Choice{Flag: flag}}}}, "Maps.by_choice[0].value: struct is nil", thrift.ErrNil},
		{&kinds.Values{Choices: []kinds.Choice{{Flag: flag}, {}}}, "Values.choices[1]: union needs exactly one field", thrift.ErrUnion},
		{&kinds.Values{Named: map[string]kinds.Values{"x": {Pairs: []thrift.Pair[kinds.Choice, kinds.Point]{{}}}}},
			`Values.named["x"].pairs[0].key: union needs exactly one field`, thrift.ErrUnion},
		{&kinds.Tree{Children: []*kinds.Tree{{}, {Named: map[string]*kinds.Tree{"x": {Choice: &kinds.Choice{}}}}}},
			`Tree.children[1].named["x"].choice: union needs exactly one field`, thrift.ErrUnion},
	} {
		for _, c := range []codec.InCompact{false, true} {
			_, err := appendTo(nil, x.message, c)
			if err == nil {
				t.Errorf("%v, %v: no error, want %q", x.message, c, x.want)
				continue
			}
			if err.Error() != x.want || !errors.Is(err, x.kind) {
				t.Errorf("%v: got %q, want %q", c, err, x.want)
			}
		}
	}
	for _, c := range []codec.InCompact{false, true} {
		if _, err := appendTo(nil, required(), c); err != nil {
			t.Errorf("lists and maps that are nil are empty: %v", err)
		}
	}
}

func TestWhatContainsItselfCanNotBeWritten(t *testing.T) {
	left := &kinds.Tree{}
	left.Left = left
	children := &kinds.Tree{}
	children.Children = []*kinds.Tree{{}, children, children} // twice, so that there are 2^n ways down
	named := &kinds.Tree{}
	named.Named = map[string]*kinds.Tree{"x": {Left: named}}
	choice := &kinds.Choice{}
	choice.Other = &kinds.Choice{Other: choice}
	for _, x := range []struct {
		message thrift.Message
		want    string
	}{
		{left, "Tree.left: struct contains itself"},
		{&kinds.Everything{RequiredOnes: &kinds.Required{APoint: &kinds.Point{}}, Tree: left}, "Everything.tree.left: struct contains itself"},
		{children, "Tree.children[1]: struct contains itself"},
		{named, `Tree.named["x"].left: struct contains itself`},
		{choice, "Choice.other.other: struct contains itself"},
		{&kinds.Lists{Choices: []*kinds.Choice{choice}}, "Lists.choices[0].other.other: struct contains itself"},
	} {
		for _, c := range []codec.InCompact{false, true} {
			if _, err := appendTo(nil, x.message, c); err == nil || err.Error() != x.want || !errors.Is(err, thrift.ErrCycle) {
				t.Errorf("%v: got %v, want %q", c, err, x.want)
			}
		}
	}
}

// Deep is not endless: objects far deeper than readers accept by default are written.
func TestDepthThatCanBeWritten(t *testing.T) {
	deep := &kinds.Tree{}
	for range codec.MaxDepth - 1 {
		deep = &kinds.Tree{Children: []*kinds.Tree{deep}}
	}
	for _, c := range []codec.InCompact{false, true} {
		if _, err := appendTo(nil, deep, c); err != nil {
			t.Errorf("%v: %v", c, err)
		}
		_, err := appendTo(nil, &kinds.Tree{Left: deep}, c)
		if err == nil || err.Error() != "Tree: nested too deeply" || !errors.Is(err, thrift.ErrDepth) {
			t.Errorf("%v: one more: %v", c, err)
		}
	}
}
