package event

import "bytes"

// take makes the event of a line, if there is one and it is complete.
func (r *Reader) take(line []byte) bool {
	switch {
	case len(line) > 0 && line[0] == '@':
		return r.takeStamped(line)
	case !r.stamped:
		return r.takePlain(line)
	}
	r.reject(line)
	return false
}

// takeStamped reads @PID M TIME COST CPU TEXT. Logs of earlier versions have no CPU.
func (r *Reader) takeStamped(line []byte) bool {
	e := &r.event
	*e, r.partial = Event{Calls: e.Calls[:0]}, 0
	c := cursor{text: line, at: 1}
	var version []byte
	ok := c.int(&e.PID) && c.is(" ") && c.int(&e.M) && c.is(" ") && c.dec(&e.Time) && c.is(" ") && c.dec(&e.Cost) && c.is(" ")
	e.CPU = e.Time
	if ok && c.at < len(line) && digit[line[c.at]] <= 9 {
		ok = c.dec(&e.CPU) && c.is(" ")
	}
	ok = ok && e.PID > 0 && e.Time < largestNumber && e.Cost < largestNumber && e.CPU < largestNumber && e.parse(line[c.at:], true, &version)
	switch {
	case ok && e.Kind == Start:
		r.start(e.PID)
		r.stamped = true
		e.Version = r.intern(version)
		r.queued = r.holding && r.held.PID == e.PID
		if r.queued {
			r.holding = false
		}
		r.drop()
		return true
	case ok && e.Kind == Settings && e.Procs == 0:
		// The first line of a process, before its start line: it is told after that.
		r.drop()
		r.held, r.holding = *e, true
		r.heldLine = append(r.heldLine[:0], line...)
		return false
	}
	r.drop()
	if !ok || !r.known(e.PID) {
		r.reject(line)
		return false
	}
	return true
}

// start remembers that a process has sent its start line. Which processes have ended can't
// be told: of very many, those are forgotten that have not been heard from.
func (r *Reader) start(pid int) {
	if len(r.started) >= processes {
		r.before, r.started = r.started, map[int]struct{}{}
	}
	r.started[pid] = struct{}{}
	r.last = pid
}

// known reports whether a process has sent a start line.
func (r *Reader) known(pid int) bool {
	if pid == r.last {
		return true
	}
	if _, ok := r.started[pid]; ok {
		r.last = pid
		return true
	}
	if _, ok := r.before[pid]; ok {
		r.start(pid)
		return true
	}
	return false
}

// intern returns the text as a string that is allocated once.
func (r *Reader) intern(text []byte) string {
	if s, ok := r.versions[string(text)]; ok {
		return s
	}
	s := string(text)
	if len(r.versions) < versions {
		r.versions[s] = s
	}
	return s
}

// drop gives up on a settings line whose start line has not come.
func (r *Reader) drop() {
	if r.holding {
		r.holding = false
		r.reject(r.heldLine)
	}
}

// plainTexts is what lines of a plain log begin with.
var plainTexts = [...]string{
	newstackText, morebufText, schedText, "stackalloc ", "  allocated ", "stackfree ", "copystack gp=", "stack grow done",
	"shrinking stack ", "stackcacherefill order=", "stackcacherelease order=", "stackcache clear", exceedsText,
}

// takePlain reads a line as the runtime prints it. If something else stands before the
// event, the program wrote that and no newline.
func (r *Reader) takePlain(line []byte) bool {
	event, used := r.plain(line)
	for i := 0; !used && i < len(plainTexts); i++ {
		if at := bytes.LastIndex(line, []byte(plainTexts[i])); at > 0 {
			event, used = r.plain(line[at:])
		}
	}
	if !used {
		r.reject(line)
	}
	return event
}

// plain reads an event of a plain log. A newstack has three lines; the program's own may
// stand between them, but none of the runtime's. used tells that the line was the
// runtime's.
func (r *Reader) plain(line []byte) (event, used bool) {
	e := &r.event
	c := cursor{text: line}
	switch {
	case r.partial == 1 && e.morebuf(&c) && c.end():
		r.partial = 2
		return false, true
	case r.partial == 2 && e.sched(&c) && c.end():
		r.partial = 0
		return true, true
	}
	var next Event
	c = cursor{text: line}
	if next.newstack(&c) && c.end() {
		next.Kind = NewStack
		*e, r.partial = next, 1
		return false, true
	}
	next = Event{}
	if !next.parse(line, false, nil) {
		return false, false
	}
	*e, r.partial = next, 0
	return true, true
}
