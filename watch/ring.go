package watch

// ring is a queue of entries that can be read at any place. It grows as needed
// and keeps its room.
type ring struct {
	slots []*entry // as many as a power of two
	head  int      // where the oldest is
	n     int
}

func (r *ring) len() int { return r.n }

// at gives the i-th oldest.
func (r *ring) at(i int) *entry { return r.slots[(r.head+i)&(len(r.slots)-1)] }

func (r *ring) push(e *entry) {
	if r.n == len(r.slots) {
		r.grow()
	}
	r.slots[(r.head+r.n)&(len(r.slots)-1)] = e
	r.n++
}

// pop takes the oldest out.
func (r *ring) pop() *entry {
	e := r.slots[r.head]
	r.slots[r.head] = nil
	r.head = (r.head + 1) & (len(r.slots) - 1)
	r.n--
	return e
}

func (r *ring) grow() {
	larger := make([]*entry, max(16, 2*len(r.slots)))
	for i := range r.n {
		larger[i] = r.at(i)
	}
	r.slots, r.head = larger, 0
}
