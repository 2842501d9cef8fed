package compat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

// The rules that look at one version: what makes its next versions hard to keep compatible.
var (
	idImplicit    = &Rule{"id-implicit", Wire, "a field has no id above 0 of its own, so another field changes it", true}
	idGap         = &Rule{"id-gap", Note, "ids between those in use are free and not reserved; where all are tens, tens", true}
	requiredUsed  = &Rule{"required-used", Note, "a field is required, which no later version can change", true}
	namesAlike    = &Rule{"names-alike", Source, "names differ in case and underscores alone", true}
	enumZero      = &Rule{"enum-zero", Note, "a field of an enum without a value 0 has no default, so its zero value has no name", true}
	enumTwice     = &Rule{"enum-number-twice", Note, "two values of an enum have one number", true}
	badWaiver     = &Rule{"bad-ignore", Source, "a comment //seam:ignore names no rule or gives no reason", true}
	idleWaiver    = &Rule{"idle-ignore", Note, "a comment //seam:ignore covers nothing", true}
	lintRules     = []*Rule{idImplicit, idGap, requiredUsed, namesAlike, enumZero, enumTwice, badWaiver, idleWaiver}
	lintPlainName = strings.NewReplacer("_", "", ".", "")
)

// Lint reports what the rules for one version find in the files that were asked for.
func Lint(list []*model.Program) []Change {
	l := &linter{}
	for _, p := range list {
		if !p.Requested {
			continue
		}
		l.program = p
		for _, s := range p.Structs {
			l.within = s.Name
			l.fields(s.Name, s.Fields)
			l.gaps(s.Name, s.Fields, s.Reserved, s.Pos)
			for _, f := range s.Fields {
				if f.Req == model.Required {
					l.add(requiredUsed, fmt.Sprintf("%s.%s", s.Name, f.Name), f.Pos, "it is required: data without it is refused by every version that has it so, and it can never go; without the word it is still written always")
				}
			}
		}
		for _, e := range p.Enums {
			l.within = e.Name
			l.enum(e)
		}
		for _, s := range p.Services {
			l.within = s.Name
			for _, fn := range s.Functions {
				name := s.Name + "." + fn.Name
				l.fields(name, fn.Args.Fields)
				l.gaps(name, fn.Args.Fields, fn.Args.Reserved, fn.Pos)
				l.fields(name, fn.Throws) // whose ids can't be reserved
			}
		}
	}
	return l.changes
}

type linter struct {
	program *model.Program
	within  string
	changes []Change
}

func (l *linter) add(r *Rule, path string, pos syntax.Pos, format string, args ...any) {
	l.changes = append(l.changes, Change{Rule: r, Severity: r.Severity, Definition: l.within, Path: path, New: place(l.program, pos), Message: fmt.Sprintf(format, args...)})
}

func (l *linter) fields(owner string, fields []*model.Field) {
	alike := map[string]*model.Field{}
	for _, f := range fields {
		path := owner + "." + f.Name
		if f.ID <= 0 {
			l.add(idImplicit, path, f.Pos, "it has the id %d, which follows from the fields before it: give it an id above 0", f.ID)
		}
		plain := strings.ToLower(lintPlainName.Replace(f.Name))
		if other := alike[plain]; other != nil {
			l.add(namesAlike, path, f.Pos, "its name is %s of line %d but for %s; rename it", other.Name, other.Pos.Line, alikeness(f.Name, other.Name))
		}
		alike[plain] = f
		if f.Type.Kind == model.EnumKind && f.Req == model.DefaultReq && f.Default == nil && !slices.ContainsFunc(f.Type.Enum.Values, func(v *model.EnumValue) bool { return v.Value == 0 }) {
			l.add(enumZero, path, f.Pos, "%s has no value 0, which is what the field is where nobody sets it: make it optional, or give it a default", f.Type.Enum.Name)
		}
	}
}

// alikeness is what names that are alike differ in, and what comes of it.
func alikeness(a, b string) string {
	if strings.EqualFold(a, b) {
		return "its case: encoding/json in a program that has only one of them reads the other as it, and in Go the two look alike"
	}
	return "underscores and case: in Go the two look alike, or one gets an underscore more, by which of them stands first"
}

// gaps looks for ids that may have been in use.
func (l *linter) gaps(owner string, fields []*model.Field, reserved *model.Reserved, pos syntax.Pos) {
	var ids []int16
	for _, f := range fields {
		if f.ID > 0 {
			ids = append(ids, f.ID)
		}
	}
	slices.Sort(ids)
	step := int16(10) // some number fields 10, 20, 30, so that others fit between: no trace of one that is gone
	if slices.ContainsFunc(ids, func(id int16) bool { return id%step != 0 }) {
		step = 1
	}
	var gaps []string
	next := step
	for _, id := range ids {
		for free := next; free < id; {
			if reserved.HasID(int64(free)) {
				free += step
				continue
			}
			end := free
			for end+step < id && !reserved.HasID(int64(end+step)) {
				end += step
			}
			if text := fmt.Sprint(free); end == free {
				gaps = append(gaps, text)
			} else {
				gaps = append(gaps, fmt.Sprintf("%d-%d", free, end))
			}
			free = end + step
		}
		next = max(id, id+step) // no more after the highest there is
	}
	if len(gaps) > 0 {
		list := strings.Join(gaps, ", ")
		l.add(idGap, owner, pos, "no field has the id %s: if it has been in use, data may hold it; keep it from being used again with (seam.reserved = \"%s\")", list, list)
	}
}

func (l *linter) enum(e *model.Enum) {
	numbers := map[int32]*model.EnumValue{}
	for _, v := range e.Values {
		if other := numbers[v.Value]; other != nil {
			l.add(enumTwice, e.Name+"."+v.Name, v.Pos, "it has the number %d of %s: programs print and write the first name of the two", v.Value, other.Name)
			continue
		}
		numbers[v.Value] = v
	}
}
