package mem

// Limits of the freed ranges that an arena keeps from reuse. They cost addresses, not
// mappings, so the limit is higher than in the quarantine of whole mappings.
const (
	restRanges = 4096
	restBytes  = 1 << (26 + 4*wide) // 64 MiB, or 1 GiB where addresses are plenty
)

// restQueue holds recently freed ranges, which are not reused for a while. The arena's mutex
// guards it.
type restQueue struct {
	ring  []rest // oldest at head
	head  int
	n     int
	bytes int
}

type rest struct {
	chunk       *chunk
	page, pages int
}

// enter adds a freed range and releases the oldest ranges beyond the limits.
func (q *restQueue) enter(c *chunk, b []byte) {
	page := int(sysAddress(b)-sysAddress(c.bytes)) / PageSize()
	q.leave(restRanges-1, restBytes-len(b))
	if q.n == len(q.ring) {
		q.ring = q.sorted(max(64, 2*q.n))
		q.head = 0
	}
	q.ring[(q.head+q.n)%len(q.ring)] = rest{c, page, len(b) / PageSize()}
	q.n++
	q.bytes += len(b)
}

// sorted is the ring with the oldest first, and room for so many.
func (q *restQueue) sorted(room int) []rest {
	ring := make([]rest, room)
	k := copy(ring, q.ring[q.head:])
	copy(ring[k:], q.ring[:q.head])
	return ring
}

// leave releases the oldest ranges until both limits are met.
func (q *restQueue) leave(ranges, bytes int) {
	for q.n > 0 && (q.n > ranges || q.bytes > bytes) {
		r := &q.ring[q.head]
		q.head = (q.head + 1) % len(q.ring)
		q.n--
		q.bytes -= r.pages * PageSize()
		if !r.chunk.gone {
			r.chunk.give(r.page, r.pages)
		}
		*r = rest{}
	}
}
