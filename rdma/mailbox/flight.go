package mailbox

// flight is the messages of a sender that are under way: for each the number of its last value. Both
// sides keep one, and count a message as done when the sender has been told of its last value.
type flight struct {
	last    []uint64 // a ring
	from, n int
}

func newFlight(messages int) flight { return flight{last: make([]uint64, messages)} }

// done drops the messages up to a value.
func (f *flight) done(placed uint64) {
	for f.n > 0 && f.last[f.from] <= placed {
		f.from = (f.from + 1) % len(f.last)
		f.n--
	}
}

// full reports whether no further message may be under way.
func (f *flight) full() bool { return f.n == len(f.last) }

// add adds a message whose last value has this number. It must not be full.
func (f *flight) add(last uint64) {
	f.last[(f.from+f.n)%len(f.last)] = last
	f.n++
}

// maxGather bounds the messages that have several records, in bytes.
const maxGather = 16 << 10

// gathering is how a window is made of messages: how many may be under way, and how many records of
// this size fit each. All together have room for the window. So a sender that fills its messages can
// use all of its window, and the mailbox needs no more memory than for a message per value.
func gathering(window, record int) (messages, records int) {
	messages = min(window, max(4, window/16))
	records = min((window+messages-1)/messages, max(1, maxGather/record))
	return (window + records - 1) / records, records
}

// gathered is how long the messages with answers are that a sender takes, in bytes: as many records of
// this size as there may be, up to 2 KiB.
func gathered(record, most int) int { return record * max(1, min(most, 2048/record)) }
