package peers_test

import (
	"slices"
	"testing"

	"github.com/godapl/godapl/internal/hca"
)

// TestReadBehindClose: a peer that has broken the connection gets the answers to its earlier reads, but only while the
// endpoint is open. After Close returns, nothing reads the memory for it, although its region lives on.
func TestReadBehindClose(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for _, r := range roles {
		t.Run(r.name, func(t *testing.T) {
			e, p := s.open(t, r, depths{4, 4})
			e.recv(8)
			k := newStuck(t, s, p)
			p.write(k.request(1), k.request(2))
			s.jammed(t, p)
			was := slices.Clone(k.bytes)
			p.write(readRequest(9, 0, 0, 0))
			e.over(hca.EventBroken) // it closes the endpoint
			fill(k.bytes, 0xff)     // from now on it is none of the peer's business
			k.bytes = was
			end := p.end()
			end.one(t, "1/2/0x03")
			k.close(t, end, 2)
		})
	}
	s.bystander(t)
}
