package report

// A goroutine is one that has grown.
type goroutine struct {
	goid uint64
	node int32 // where in the tree it is
	top  int32 // where it had most
	size int64 // of its stack; in a plain log it shows whether it is still the same one
	Totals
}

// A slab holds goroutines at addresses that stay.
type slab struct {
	pieces [][]goroutine
	free   []int32
	used   int
}

const piece = 1 << 10

func (s *slab) at(i int32) *goroutine { return &s.pieces[i/piece][i%piece] }

func (s *slab) take() int32 {
	s.used++
	if n := len(s.free); n > 0 {
		i := s.free[n-1]
		s.free = s.free[:n-1]
		return i
	}
	i := int32(s.used - 1)
	if int(i)/piece == len(s.pieces) {
		s.pieces = append(s.pieces, make([]goroutine, piece))
	}
	return i
}

func (s *slab) give(i int32) {
	s.used--
	s.free = append(s.free, i)
}

// goroutine returns the goroutine whose stack moves; nil if it isn't known.
func (b *Builder) goroutine(p *process, m *move) *goroutine {
	i, ok := p.goroutines[m.gp]
	if !ok {
		return nil
	}
	g := b.goroutines.at(i)
	if g.goid == m.goid && (!b.plain || g.size == m.from) {
		return g
	}
	// Another one has its descriptor.
	b.ended(g)
	b.goroutines.give(i)
	delete(p.goroutines, m.gp)
	return nil
}

// grown moves a goroutine on in the tree.
func (b *Builder) grown(p *process, m *move, time int64) {
	g := b.goroutine(p, m)
	if g == nil {
		if b.goroutines.used >= maxGoroutines {
			for _, p := range b.processes {
				b.forget(p)
			}
		}
		i := b.goroutines.take()
		p.goroutines[m.gp] = i
		g = b.goroutines.at(i)
		root := b.node(nodeKey{parent: -1, site: m.entry})
		if root < 0 {
			root = others
		}
		*g = goroutine{goid: m.goid, node: root, top: root}
		b.nodes[root].grown++
	}
	g.size = m.to
	g.add(m.used, time)
	next := b.node(nodeKey{g.node, m.site, class(m.from), class(m.to)})
	if next < 0 {
		b.nodes[g.node].rest.add(m.used, time)
		return
	}
	b.nodes[next].add(m.used, time)
	if m.to == m.from {
		return // moved, not grown (a debug mode of the runtime): else a path could get very long
	}
	g.node = next
	if b.nodes[next].to > b.nodes[g.top].to {
		g.top = next
	}
}

// shrunk moves a goroutine back to where its stack was not larger than it is now, so
// that growths that follow are counted where they were at first.
func (b *Builder) shrunk(p *process, m *move) {
	g := b.goroutine(p, m)
	if g == nil {
		return
	}
	g.size = m.to
	for b.nodes[g.node].parent >= 0 && b.nodes[g.node].to > class(m.to) {
		g.node = b.nodes[g.node].parent
	}
}

// ended counts the chain of a goroutine that has ended.
func (b *Builder) ended(g *goroutine) {
	n := &b.nodes[g.top]
	n.ended++
	n.chains.Sum(g.Totals)
}

// forget takes all goroutines of a process for ended.
func (b *Builder) forget(p *process) {
	for _, i := range p.goroutines {
		b.ended(b.goroutines.at(i))
		b.goroutines.give(i)
	}
	p.goroutines = map[uint64]int32{}
}
