package thrift

import (
	"context"
	"errors"
	"testing"
)

func TestUnimplemented(t *testing.T) {
	s := &Server{Processor: functions{"f": func(context.Context, string) (string, error) { return "", Unimplemented("f") }}}
	err := NewClient(Local(s), ClientOptions{}).Call(t.Context(), "f", &note{}, &note{})
	var e *ApplicationException
	if !errors.As(err, &e) || e.Type != UnknownMethod || e.Message != `function "f" is not implemented` {
		t.Errorf("the error is %v", err)
	}
}
