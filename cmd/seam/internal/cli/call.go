package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/idl/gen"
	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/cmd/seam/internal/nearest"
	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/descriptor"
	"github.com/seamgo/seam/thrift/generic"
)

// callVerb is the verb that calls a function of a Thrift service.
type callVerb struct {
	Address   string `arg:"" help:"The server, HOST:PORT, or the path of a Unix socket."`
	Function  string `arg:"" help:"SERVICE.FUNCTION."`
	Arguments string `arg:"" optional:"" name:"json" default:"{}" help:"The arguments by their names, {\"id\": 7}; - reads standard input. Default: none."`

	IDL []string `name:"idl" required:"" placeholder:"FILE" help:"The Thrift file that has the service, or what seam gen descriptors made of it (.json)."`
	sources

	Framing  string            `enum:"framed,buffered,ttheader,theader" default:"framed" placeholder:"framed" help:"How messages are framed: ${enum}."`
	Protocol string            `enum:"binary,compact" default:"binary" placeholder:"binary" help:"How messages are written: ${enum}."`
	Name     string            `placeholder:"NAME" help:"The service's name at a server that has several (multiplexed)."`
	Info     map[string]string `mapsep:"none" placeholder:"KEY=VALUE" help:"Goes along in the header of ttheader and theader; may be given several times."`
	Timeout  time.Duration     `default:"10s" placeholder:"10s" help:"How long all of it may take."`
}

func (callVerb) examples() string {
	return `Calls a function of a Thrift service and prints its result as JSON. An exception that the
function declares is printed too, and the code is 1.

Examples:
  seam call localhost:9090 Orders.get '{"id": 7}' --idl order.thrift
  seam call localhost:9090 shop.Orders.put - --idl shop.json --framing ttheader <order.json
  seam call /run/orders.sock Orders.ping --idl order.thrift --protocol compact
`
}

var framings = map[string]thrift.Framing{"framed": thrift.Framed, "buffered": thrift.Buffered, "ttheader": thrift.TTHeader, "theader": thrift.THeader}

func (v *callVerb) Run(s *session) error {
	framing := framings[v.Framing]
	if len(v.Info) > 0 && framing != thrift.TTHeader && framing != thrift.THeader {
		return fmt.Errorf("--info travels in a header, which %s messages don't have: add --framing ttheader or theader", v.Framing)
	}
	if strings.Contains(v.Address, "://") {
		return fmt.Errorf("%s is a URL, and seam call speaks Thrift over TCP and Unix sockets only: name HOST:PORT, or a path", v.Address)
	}
	set, err := v.descriptors(s)
	if err != nil {
		return err
	}
	service, f, err := functionOf(set, v.Function)
	if err != nil {
		return err
	}
	args := []byte(v.Arguments)
	if v.Arguments == "-" {
		if args, err = io.ReadAll(s.stdin); err != nil {
			return withCode(exitFailed, err)
		}
	}
	opt := generic.Options{}
	if _, err := opt.ToThrift(f.Args, args); err != nil { // before anybody is called
		return fmt.Errorf("the arguments of %s: %w", v.Function, err)
	}
	ctx, cancel := context.WithTimeout(s.ctx, v.Timeout)
	defer cancel()
	result, err := v.call(ctx, framing, service, f, args)
	var thrown *generic.Exception
	switch {
	case s.ctx.Err() != nil:
		return withCode(exitInterrupted, errors.New("interrupted"))
	case errors.As(err, &thrown):
		if err := v.print(s, thrown.JSON); err != nil {
			return err
		}
		return withCode(exitFinding, fmt.Errorf("%s throws %s", v.Function, thrown.Type))
	case err != nil:
		return withCode(exitFailed, err)
	case f.Oneway || f.Success().Kind == descriptor.Void:
		return nil
	}
	return v.print(s, result)
}

// call connects and calls.
func (v *callVerb) call(ctx context.Context, framing thrift.Framing, service *descriptor.Service, f *descriptor.Function, args []byte) ([]byte, error) {
	network := "tcp"
	if strings.Contains(v.Address, "/") {
		network = "unix"
	}
	conn, err := thrift.Dial(ctx, network, v.Address, thrift.ConnOptions{Framing: framing})
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	client := thrift.ClientOptions{}
	if v.Protocol == "compact" {
		client.Protocol = thrift.Compact
	}
	var caller thrift.Caller = thrift.NewClient(conn, client)
	if v.Name != "" {
		caller = thrift.Multiplex(caller, v.Name)
	}
	if len(v.Info) > 0 {
		ctx = thrift.WithInfo(ctx, thrift.Info{Strings: v.Info})
	}
	result, err := generic.NewClient(caller, service, generic.Options{}).Call(ctx, f.Name, args)
	var answered *thrift.ApplicationException
	var thrown *generic.Exception
	if err != nil && !errors.As(err, &answered) && !errors.As(err, &thrown) {
		err = fmt.Errorf("%w (the call was made with --framing %s --protocol %s; a server that has others may end the connection, stay silent, or answer by what can't be read)", err, v.Framing, v.Protocol)
	}
	return result, err
}

// print writes JSON for people.
func (v *callVerb) print(s *session, text []byte) error {
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		return withCode(exitFailed, err)
	}
	b.WriteByte('\n')
	return withCode(exitFailed, output.Writer{Stdout: s.stdout, Stderr: s.stderr}.WriteFile(s.ctx, output.File{Path: "-", Text: b.Bytes()}))
}

// descriptors are those of the files that were named.
func (v *callVerb) descriptors(s *session) (*descriptor.Set, error) {
	if len(v.IDL) == 1 && strings.HasSuffix(v.IDL[0], ".json") {
		text, err := os.ReadFile(v.IDL[0])
		if err != nil {
			return nil, err
		}
		set, err := descriptor.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.IDL[0], err)
		}
		return set, nil
	}
	paths, err := model.Find(v.IDL)
	if err != nil {
		return nil, err
	}
	o := v.options()
	o.NoCode = true
	progs, err := s.loadThrift(paths, o, v.Strict)
	if err != nil {
		return nil, err
	}
	text, err := gen.Descriptors(progs)
	if err != nil {
		return nil, err
	}
	return descriptor.Parse(text)
}

// functionOf finds SERVICE.FUNCTION, where SERVICE may have its file's name in front of it.
func functionOf(set *descriptor.Set, name string) (*descriptor.Service, *descriptor.Function, error) {
	var all, shorter []string
	var service *descriptor.Service
	var found []*descriptor.Function
	for _, file := range set.Files {
		for _, s := range file.Services {
			for at := s; at != nil; at = at.Extends {
				for _, f := range at.Functions {
					short, full := s.Name+"."+f.Name, file.Name+"."+s.Name+"."+f.Name
					all, shorter = append(all, full), append(shorter, short)
					if name == short || name == full {
						service, found = s, append(found, f)
					}
				}
			}
		}
	}
	switch {
	case len(found) == 1:
		return service, found[0], nil
	case len(found) > 1:
		return nil, nil, fmt.Errorf("%s is there %d times: put the file's name in front of it, as in %s", name, len(found), all[slices.IndexFunc(all, func(s string) bool { return strings.HasSuffix(s, "."+name) })])
	case len(all) == 0:
		return nil, nil, errors.New("the files have no functions")
	}
	near := nearest.Names(name, all)
	if len(near) == 0 {
		near = nearest.Names(name, shorter)
	}
	if len(near) > 0 {
		return nil, nil, fmt.Errorf("there is no function %s: of the %d that there are, like it: %s", name, len(all), strings.Join(near, ", "))
	}
	near = all
	const most = 20
	more := ""
	if len(near) > most {
		near, more = near[:most], fmt.Sprintf(" and %d more", len(near)-most)
	}
	return nil, nil, fmt.Errorf("there is no function %s: there are %s%s", name, strings.Join(near, ", "), more)
}
