package peers_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
)

// Row 21: one bit is wrong, at each place of an FPDU.

func TestFlippedBit(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{ReceiveWait: -1})
	for name, make := range map[string]func(m *memory) []byte{
		"Send":         func(*memory) []byte { return send(1, "hello") },
		"Write":        func(m *memory) []byte { return write(m.all.stag(), m.all.to(0), "hello") },
		"Read Request": func(m *memory) []byte { return readRequest(1, m.all.stag(), m.all.to(0), 8) },
	} {
		for i, r := range roles {
			t.Run(name+"/"+r.name, func(t *testing.T) {
				t.Parallel()
				bits := 8 * len(make(newMemory(t, s.pd, s.foreign)))
				for bit := range bits {
					// Each bit in one role; the bits of the length field in all roles, because their
					// reaction differs.
					if bit >= 16 && bit%len(roles) != i {
						continue
					}
					flip(t, s, r, make, bit)
				}
				s.bystander(t)
			})
		}
	}
}

func flip(t *testing.T, s *station, r role, make func(m *memory) []byte, bit int) {
	e, p := s.open(t, r, depths{4, 4})
	e.recv(64)
	e.busy()
	data := make(e.mem)
	data[bit/8] ^= 0x80 >> (bit % 8)
	want := "2/0/0x02"
	p.write(data)
	if bit < 16 { // a longer FPDU stalls, and a shorter one has another CRC
		want += " 2/0/0x03 close"
		p.fin()
	}
	p.end().one(t, want)
	e.over(hca.EventBroken)
	if t.Failed() {
		t.Fatalf("bit %d of byte %d", bit%8, bit/8)
	}
}
