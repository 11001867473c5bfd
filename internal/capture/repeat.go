package capture

import (
	"fmt"
	"sync"
	"time"

	"github.com/godapl/godapl/internal/iwarp"
)

// The introduction of a flow in a file makes the file decodable by itself: the
// handshake of TCP, and if the flow is older than the file, both start-up frames and
// the beginnings of incomplete FPDUs. They get the sequence numbers directly before the
// next data, as if nothing had been between start-up and now.
//
// That is impossible for a direction with markers: their positions follow from the
// number of bytes since the start-up. Such a direction is shown as bytes only, and so
// is one that is not MPA.
// is one that is not MPA.

// heads are for the beginnings of FPDUs. Connections rarely need one.
var heads = sync.Pool{New: func() any { return new([iwarp.MaxFPDULen]byte) }}

func (h *half) keep(p []byte) {
	if h.head == nil {
		h.head = heads.Get().(*[iwarp.MaxFPDULen]byte)[:0]
	}
	h.head = append(h.head, p...)
}

func (h *half) forget() {
	if h.head != nil {
		heads.Put((*[iwarp.MaxFPDULen]byte)(h.head[:iwarp.MaxFPDULen]))
		h.head = nil
	}
}

// repeatRoom bounds the size of the introduction.
func (fl *Flow) repeatRoom() int {
	n := 8*packetRoom + len(fl.comment) + 128
	for i := range fl.half {
		n += len(fl.half[i].frame) + len(fl.half[i].head)
	}
	return n
}

// introduce writes that. Both locks are held, and there is room.
func (fl *Flow) introduce(at time.Time) {
	f := fl.file
	later := fl.number != 0
	fl.number = f.number
	first, second := theirs, ours
	if fl.active {
		first, second = ours, theirs
	}
	// A start-up frame without the other one, or without FPDUs to follow, is useless.
	whole := fl.repeatable(first) && fl.repeatable(second)
	var seq [2]uint32
	missing := uint64(0)
	for way := range fl.half {
		h := &fl.half[way]
		seq[way] = h.next - 1
		if whole {
			seq[way] -= uint32(len(h.frame) + len(h.head))
			missing += h.total - uint64(len(h.frame)+len(h.head))
		} else {
			missing += h.total
		}
		if h.fin {
			seq[way]--
		}
	}
	put := func(way int, s segment, payload []byte) {
		s.at, s.seq = at, seq[way]
		if !s.opening {
			s.ack = seq[1-way]
		}
		fl.address(way, &s)
		f.put(&s, payload)
		seq[way] += uint32(len(payload))
		if s.syn || s.fin {
			seq[way]++
		}
	}
	comment := fl.comment
	if later {
		comment = fl.repeated(whole, missing)
	}
	put(first, segment{syn: true, opening: true, comment: comment}, nil)
	put(second, segment{syn: true}, nil)
	put(first, segment{}, nil)
	if whole {
		for _, way := range [...]int{first, second} {
			if frame := fl.half[way].frame; len(frame) > 0 {
				put(way, segment{push: true, comment: againFrame}, frame)
			}
		}
		for _, way := range [...]int{first, second} {
			for head := fl.half[way].head; len(head) > 0; {
				n := min(len(head), maxPayload)
				put(way, segment{push: true, comment: againHead}, head[:n])
				head = head[n:]
			}
		}
	}
	for _, way := range [...]int{first, second} {
		if fl.half[way].fin {
			put(way, segment{fin: true}, nil)
		}
	}
}

const (
	againFrame = "repeated from an earlier file: the start-up frame"
	againHead  = "repeated from the file before: the beginning of an FPDU"
)

// repeatable reports whether the kept data of a direction can precede the next data.
func (fl *Flow) repeatable(way int) bool {
	s := &fl.half[way].framing
	return s.phase != unknown && !s.marked
}

func (fl *Flow) repeated(whole bool, missing uint64) string {
	s := fmt.Sprintf("Goes on from an earlier file. %d bytes of it are there", missing)
	if !whole {
		s += ", its start-up frames among them"
	}
	s += ". This handshake is made up."
	if fl.comment != "" {
		s += " " + fl.comment
	}
	return s
}
