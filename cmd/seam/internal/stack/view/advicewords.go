package view

import (
	"fmt"
	"strings"
)

// because says how the frame makes the stack grow.
func (a advice) because() string {
	switch {
	case a.stack > 0:
		return fmt.Sprintf("Its frame of %s alone takes up most of a stack of %s", size(a.frame), size(a.stack))
	case a.unfit > 0 && a.frame > a.unfit:
		return fmt.Sprintf("Its frame of %s doesn't fit in a stack of %s", size(a.frame), size(a.unfit))
	case a.unfit > 0:
		return fmt.Sprintf("Its frame of %s doesn't fit in a stack of %s, of which %s are reserved", size(a.frame), size(a.unfit), size(a.guard))
	default:
		return fmt.Sprintf("Its frame of %s is larger than all the stack in use before it (up to %s)", size(a.frame), size(a.used))
	}
}

// buffer reports whether the largest variable of the frame is one that another could
// lend: an array of bytes or numbers.
func (a advice) buffer() bool { return a.variable != nil && strings.HasPrefix(a.variable.Type, "[") }

// smaller says how to make the frame smaller, as far as it is known what is in it.
func (a advice) smaller() string {
	switch v := a.variable; {
	case a.buffer():
		return fmt.Sprintf("Most of it is %s (%s, %s): take that from a sync.Pool, or let the caller pass in a slice to reuse", clean(v.Name), clean(v.Type), size(v.Bytes))
	case v != nil:
		return fmt.Sprintf("Its largest variable is %s (%s, %s): pass it by pointer, or allocate it once where it is kept", clean(v.Name), clean(v.Type), size(v.Bytes))
	}
	return "Find what is in it with seam stack frames; move its large variables elsewhere, or make them smaller"
}

// words says why, and what to do about it.
func (a advice) words() string {
	switch a.kind {
	case runtimes:
		return "The runtime's own: nothing to do."
	case once:
		if a.processes > 1 {
			return fmt.Sprintf("This happened %s in %s: nothing to do.", times(a.count), plural(a.processes, "process"))
		}
		return "This happened once in the whole run: nothing to do."
	case frame:
		s := a.because() + ". " + a.smaller()
		if a.count <= a.processes {
			return s + "; if it happens only once per process, it may as well stay."
		}
		return s + "."
	case settled:
		if a.goroutines == 1 {
			return "This happened in one goroutine, at most once at each size: there is little to gain."
		}
		return fmt.Sprintf("This matters less: it happened once per goroutine, in at most %s; if they are long-lived, there is nothing to do.", plural(a.goroutines, "goroutine"))
	case recursion:
		if a.ring != nil {
			return a.ringWords()
		}
		s := "It calls itself"
		if a.through != "" {
			s += " through " + a.through + ", which was inlined into it"
		}
		if a.frame > 0 {
			s += fmt.Sprintf(", with a frame of %s per call", size(a.frame))
			if levels := a.stack / a.frame; levels >= 4 {
				s += fmt.Sprintf(": at most %s fill %s", plural(levels, "level"), size(a.stack))
			}
		}
		return s + ". Limit the depth, make the frame smaller, or replace the recursion by a loop that keeps pending work in a slice."
	case again:
		return fmt.Sprintf("%s of the growths were of stacks that had been as large before: the collector halves a stack that is less than a quarter full (%s from these sizes), and the next deep call doubles it again. Run with GODEBUG=gcshrinkstackoff=1 to see what that costs; to avoid it, make the deep calls in short-lived goroutines of their own, or make them less deep.", count(a.count), plural(a.shrinks, "shrink"))
	case many:
		part := count(a.count)
		if a.count == a.all {
			part = "All"
		}
		if a.see > 0 {
			return fmt.Sprintf("%s of these growths, too, were in goroutines that run %s (see %d).", part, a.entry, a.see)
		}
		words := fmt.Sprintf("%s of these growths were in goroutines that run %s; %s of them grew, each from a fresh stack.", part, a.entry, count(a.goroutines))
		if a.starter == "" {
			words += " Hand the work to a few long-lived ones (a worker pool), and most of this happens only once."
		} else {
			words += fmt.Sprintf(" Package %s starts them; what the program can change is what they run: calls that are less deep, frames that are smaller.", a.starter)
		}
		if a.pinned {
			words += " With --adaptive-start, such goroutines may start with larger stacks: see how many growths remain."
		}
		return words
	default: // deep
		s := ""
		switch {
		case a.used > 0 && a.frame > 0:
			s = fmt.Sprintf("Its frame is only %s, but up to %s were in use when it was called", size(a.frame), size(a.used))
		case a.used > 0:
			s = fmt.Sprintf("Up to %s were in use when it was called", size(a.used))
		default:
			s = "It was called when the stack was full"
		}
		if a.below != "" {
			s += ": among the calls that lead here " + a.below
			if a.see > 0 {
				return fmt.Sprintf("%s (see %d).", s, a.see)
			}
			return s + ". Limit the depth there, or replace the recursion by a loop that keeps pending work in a slice."
		}
		if a.used >= deepUse && a.frame > 0 && a.frame < a.used/deepCalls {
			return s + ": functions that call each other again and again led here, perhaps through an interface or a function value, or one of them has a very large frame. seam stack frames shows large frames; if there is none, limit the depth, or loop over a slice."
		}
		if a.library {
			if a.origin != "" {
				return s + ", reached from " + a.origin + ". What the program can change is that call, and how many goroutines get there (keep them, or reuse connections); see --adaptive-start."
			}
			return s + ", and it and its caller are the standard library's. What the program can change is how many goroutines get there (keep them, or reuse connections), and what it runs below its own frames; see --adaptive-start."
		}
		return s + ": the stack grows because of all the calls that lead here. seam stack frames shows which of them have large frames."
	}
}

// ringWords are about functions that call each other.
func (a advice) ringWords() string {
	s := a.ring.words(a.names) + " call each other"
	if a.see > 0 {
		return fmt.Sprintf("%s (see %d).", s, a.see)
	}
	if a.ring.frames > 0 {
		s += fmt.Sprintf(", with frames of %s in total", size(a.ring.frames))
	}
	return s + ". Limit the depth, make the frames smaller, or replace the recursion by a loop that keeps pending work in a slice."
}

// Where so much is in use, and so many frames like the last would fit, the calls that led
// there have been made before.
const (
	deepUse   = 64 << 10
	deepCalls = 500
)

// short is the same in some 70 characters.
func (a advice) short() string {
	switch a.kind {
	case runtimes, once:
		return "nothing to do"
	case settled:
		return "once per goroutine, in only a few: little to gain"
	case frame:
		switch {
		case a.buffer():
			return fmt.Sprintf("its frame of %s alone needs it: reuse %s", size(a.frame), briefly(a.variable.Name))
		case a.variable != nil:
			return fmt.Sprintf("its frame of %s alone needs it, most of all %s", size(a.frame), briefly(a.variable.Name))
		}
		return fmt.Sprintf("its frame of %s alone needs it", size(a.frame))
	case recursion:
		if a.ring != nil {
			return plural(int64(len(a.ring.members)), "function") + " call each other: limit the depth, or loop over a slice"
		}
		if a.frame > 0 {
			return fmt.Sprintf("it calls itself, %s per call: limit the depth, or loop", size(a.frame))
		}
		return "it calls itself: limit the depth, or loop over a slice"
	case again:
		return fmt.Sprintf("the collector halved such stacks %s: see GODEBUG=gcshrinkstackoff=1", times(a.shrinks))
	case many:
		if a.starter != "" {
			return fmt.Sprintf("%s start small; package %s starts them", plural(a.goroutines, "goroutine"), briefly(a.starter))
		}
		return fmt.Sprintf("%s start small: use long-lived workers", plural(a.goroutines, "goroutine"))
	default:
		switch {
		case a.below != "":
			return fmt.Sprintf("%s were in use by recursion: limit the depth", size(a.used))
		case a.used >= deepUse && a.frame > 0 && a.frame < a.used/deepCalls:
			return fmt.Sprintf("%s were in use: recursion, perhaps through an interface", size(a.used))
		case a.library:
			if a.origin != "" {
				return "reached from " + a.origin
			}
			return "the standard library's own calls: fewer goroutines, or --adaptive-start"
		}
		return fmt.Sprintf("%s were in use before: see seam stack frames", size(a.used))
	}
}

// briefly is a name in no more than 24 characters.
func briefly(name string) string {
	if r := []rune(clean(name)); len(r) > 24 {
		return string(r[:23]) + "…"
	}
	return clean(name)
}

func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return count(n) + " times"
}
