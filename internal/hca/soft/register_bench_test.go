package soft_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// BenchmarkRegister measures the registration of a page: of the program, whose pages are checked with the
// kernel, and of the library.
func BenchmarkRegister(b *testing.B) {
	for name, own := range map[string]bool{"program": false, "library": true} {
		b.Run(name, func(b *testing.B) {
			pd, err := softtest.NewEnd(b, "loop", 1, 1).A.NewPD()
			if err != nil {
				b.Fatal(err)
			}
			m := hca.Memory{Bytes: make([]byte, 4096), Own: own}
			for b.Loop() {
				mr, err := pd.Register(m, hca.AllAccess)
				if err != nil {
					b.Fatal(err)
				}
				if err := mr.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
