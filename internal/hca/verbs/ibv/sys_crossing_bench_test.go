//go:build linux && (amd64 || arm64)

package ibv

import (
	"testing"

	"github.com/ebitengine/purego"
)

// BenchmarkCrossing measures the cost of a call into C beyond the C function itself:
// with this package's method, and with the alternatives.
func BenchmarkCrossing(b *testing.B) {
	abs := libc(b, "abs")
	b.Run("Frame", func(b *testing.B) {
		f := &Frame{Ops: &Ops{pollCQ: abs}}
		b.ReportAllocs()
		for b.Loop() {
			f.PollCQ(1, 64, 0)
		}
	})
	b.Run("Lib", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			call(abs, 1, 64, 0, 0, 0)
		}
	})
	b.Run("SyscallN-reused", func(b *testing.B) {
		args := []uintptr{1, 64, 0}
		b.ReportAllocs()
		for b.Loop() {
			purego.SyscallN(abs, args...)
		}
	})
	b.Run("SyscallN-literals", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			purego.SyscallN(abs, 1, 64, 0)
		}
	})
	b.Run("RegisterLibFunc", func(b *testing.B) {
		var fn func(uintptr, int32, uintptr) int32
		purego.RegisterLibFunc(&fn, purego.RTLD_DEFAULT, "abs")
		b.ReportAllocs()
		for b.Loop() {
			fn(1, 64, 0)
		}
	})
}
