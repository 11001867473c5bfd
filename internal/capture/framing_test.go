package capture

import (
	"slices"
	"testing"

	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/iwarp/iwarptest"
)

// units walks a stream in pieces and returns where units end.
func units(s *framing, stream []byte, piece int) []int {
	var ends []int
	for at := 0; at < len(stream); {
		p := stream[at:min(at+piece, len(stream))]
		b, all := s.border(p), allEnds(*s, p)
		if len(all) == 0 && b != 0 || len(all) > 0 && !s.marked && b != all[len(all)-1] || len(all) > 0 && s.marked && b != all[0] {
			ends = append(ends, -1)
		}
		for len(p) > 0 {
			n, whole := s.step(p)
			at, p = at+n, p[n:]
			if whole {
				ends = append(ends, at)
			}
		}
	}
	return ends
}

func allEnds(s framing, p []byte) []int {
	var ends []int
	for at := 0; at < len(p); {
		n, whole := s.step(p[at:])
		if at += n; whole {
			ends = append(ends, at)
		}
	}
	return ends
}

func TestFramingFindsEveryUnit(t *testing.T) {
	for _, marked := range []bool{false, true} {
		stream := request(false)
		ends := []int{len(stream)}
		offset := uint64(0)
		for _, f := range iwarptest.FPDUs() {
			data := f.Wire
			if marked {
				data = iwarp.AppendMarked(nil, offset, data, true)
			}
			offset += uint64(len(data))
			stream = append(stream, data...)
			ends = append(ends, len(stream))
		}
		r := rng()
		for range 50 {
			data := fpdu(r, 1+r.IntN(3000))
			if marked {
				data = iwarp.AppendMarked(nil, offset, data, true)
			}
			offset += uint64(len(data))
			stream = append(stream, data...)
			ends = append(ends, len(stream))
		}
		for _, piece := range []int{1, 2, 3, 5, 19, 21, 511, 512, 4096, len(stream)} {
			if got := units(&framing{marked: marked}, stream, piece); !slices.Equal(got, ends) {
				t.Errorf("markers %v, in pieces of %d: ends %v, want %v", marked, piece, got, ends)
			}
		}
	}
}

func TestFramingGivesUp(t *testing.T) {
	long := request(false)
	long[18], long[19] = 0xff, 0xff
	for name, stream := range map[string][]byte{
		"no MPA":       []byte("GET / HTTP/1.0\r\nHost: nobody\r\n"),
		"private data": long,
		"length 0":     append(request(false), 0, 0, 1, 2, 3, 4),
	} {
		for _, piece := range []int{1, 7, len(stream)} {
			var s framing
			units(&s, stream, piece)
			if s.phase != unknown {
				t.Errorf("%s, in pieces of %d: phase %d", name, piece, s.phase)
			}
			if n, whole := s.step(make([]byte, 100)); n != 100 || whole {
				t.Errorf("%s: then %d bytes, %v", name, n, whole)
			}
		}
	}
}
