package lab

// A group is the cases that share blocks.
type group struct {
	name  string
	procs int
	cases []Case // timed, in the order of Cases
	base  int    // index into cases, -1 if the group has none
}

// groups splits the timed cases of list into their groups, in order of first
// appearance, and returns the probes apart.
func groups(list []Case) (timed []group, probes []Case) {
	index := map[string]int{}
	for _, c := range list {
		if c.Probe != nil {
			probes = append(probes, c)
			continue
		}
		i, seen := index[c.Group]
		if !seen {
			i = len(timed)
			index[c.Group] = i
			timed = append(timed, group{name: c.Group, procs: c.Procs, base: -1})
		}
		g := &timed[i]
		if c.Base && g.base < 0 {
			g.base = len(g.cases)
		}
		g.cases = append(g.cases, c)
	}
	return timed, probes
}
