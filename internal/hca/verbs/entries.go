package verbs

import "github.com/godapl/godapl/internal/hca"

// slotOwner is a queue that gets a slot back when the consumer polls one of its
// entries.
type slotOwner interface{ polled() }

// entries is a ring of entries that wait for the consumer, oldest first. It
// grows as needed and never shrinks.
type entries struct {
	wcs        []hca.WC
	owners     []slotOwner
	head, tail uint // tail - head are there
}

func (e *entries) len() int { return int(e.tail - e.head) }

func (e *entries) add(wc *hca.WC, owner slotOwner) {
	if e.len() == len(e.wcs) {
		e.grow()
	}
	i := e.tail & uint(len(e.wcs)-1)
	e.wcs[i], e.owners[i] = *wc, owner
	e.tail++
}

// take moves entries out and gives their slots back.
func (e *entries) take(dst []hca.WC) int {
	n := 0
	for ; n < len(dst) && e.head != e.tail; n++ {
		i := e.head & uint(len(e.wcs)-1)
		dst[n] = e.wcs[i]
		e.owners[i].polled()
		e.wcs[i], e.owners[i] = hca.WC{}, nil
		e.head++
	}
	return n
}

func (e *entries) grow() {
	n := max(64, 2*len(e.wcs))
	wcs, owners := make([]hca.WC, n), make([]slotOwner, n)
	k := uint(0)
	for i := e.head; i != e.tail; i++ {
		j := i & uint(len(e.wcs)-1)
		wcs[k], owners[k] = e.wcs[j], e.owners[j]
		k++
	}
	e.wcs, e.owners, e.head, e.tail = wcs, owners, 0, k
}
