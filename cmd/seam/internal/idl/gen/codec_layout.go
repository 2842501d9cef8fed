package gen

import "slices"

// A place is where code for a value is written: which function it is in, and
// so how it gives up.
type place struct {
	field string // the field's name in Thrift, in a struct's method
	index string // the expression of the index, in a container's function
	part  string // ".key" or ".value", in a map's function
	label *bool  // whether the labels of the goto layout were used
}

// fails writes the statements that leave a decoder at position i, where the
// input is wrong; the caller has opened the if around them.
func (f *file) fails(at place) { f.leave(at, "^i") }

// passes writes the statements that hand on the failure of what was called,
// which has made i negative.
func (f *file) passes(at place) { f.leave(at, "i") }

// leave returns a failure. The layouts are what the lab's errorpath compares:
// bare says nothing and leaves it to the run-time to find out; inline makes the
// message here; goto jumps to the one place in the function that makes it;
// outlined calls a function that does.
func (f *file) leave(at place, result string) {
	switch f.opt.ErrorLayout {
	case LayoutInline:
		f.P("return d.Prepend(", f.pathExpression(at), ", ", result, ")")
	case LayoutGoto:
		f.gotoFailed(at, result == "^i")
	case LayoutOutlined:
		f.P("return ", f.outlined(at, result))
	default:
		f.P("return ", result)
	}
}

// pathExpression is the step of the path to this place, made here.
func (f *file) pathExpression(at place) string {
	switch {
	case at.index != "":
		return f.use("fmt") + `.Sprintf("[%d]", ` + at.index + ")"
	case at.part != "":
		return f.use("fmt") + `.Sprintf("%s", "` + at.part + `")`
	}
	return f.use("fmt") + `.Sprintf(".%s", "` + at.field + `")`
}

func (f *file) outlined(at place, i string) string {
	switch {
	case at.index != "":
		return "d.FailAt(" + at.index + ", " + i + ")"
	case at.part != "":
		return `d.FailIn("` + at.part + `", ` + i + ")"
	}
	return `d.FailIn(".` + at.field + `", ` + i + ")"
}

// gotoFailed jumps to the label behind the function's end; here says that i
// is the place that is wrong, and not negative yet.
func (f *file) gotoFailed(at place, here bool) {
	*at.label = true
	switch {
	case at.index != "":
	case at.part != "":
		f.P(`step = "`, at.part, `"`)
	default:
		f.P(`step = ".`, at.field, `"`)
	}
	if here {
		f.P("i = ^i")
	}
	f.P("goto failed")
}

// steps remembers where the goto layout has to declare its variable, if it
// turns out that something in the function can fail.
func (f *file) steps() { f.stepMark = len(f.text) }

// failed writes the end of a function of the goto layout.
func (f *file) failed(at place) {
	if f.opt.ErrorLayout != LayoutGoto || !*at.label {
		return
	}
	if at.index == "" {
		f.text = slices.Insert(f.text, f.stepMark, []byte("\tvar step string\n")...)
	}
	f.P("failed:")
	if at.index != "" {
		f.P("return d.FailAt(", at.index, ", i)")
	} else {
		f.P("return d.FailIn(step, i)")
	}
}
