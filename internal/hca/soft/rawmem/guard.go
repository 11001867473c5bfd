package rawmem

import (
	"os"
	"runtime/debug"

	"github.com/godapl/godapl/internal/shm"
)

// The program's memory is frail: its pages were accessible when it was registered, but may have been unmapped,
// protected, or cut off by the end of their file since. An access may fault, in any goroutine that makes it,
// for instance a worker that places a peer's write. So such an access runs under Guard, and a fault ends the
// operation. The library's own pages stay accessible (hca.Memory.Own), and need no guard.
//
// The guard covers the access alone. The code around it continues as after any other failure: it leaves gates
// and locks, clears hazard slots, and makes entries.

// Guard runs an access. It returns the address of the fault, or 0 if there was none.
func Guard(access func()) (at uint64) {
	before := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(before)
		if r := recover(); r != nil {
			f, ok := r.(interface {
				error
				Addr() uintptr
			})
			if !ok {
				panic(r)
			}
			at = uint64(f.Addr())
		}
	}()
	access()
	return 0
}

// TryPiece is CopyPiece, under Guard if one side is frail.
func TryPiece(dst, src []byte, frail bool) (n int, at uint64) {
	if !frail {
		return CopyPiece(dst, src), 0
	}
	return guardedPiece(dst, src)
}

func guardedPiece(dst, src []byte) (n int, at uint64) {
	at = Guard(func() { n = CopyPiece(dst, src) })
	return n, at
}

// TryWrite is WritePiece, under Guard if one side is frail.
func TryWrite(dst, src []byte, end, frail bool) (n int, at uint64) {
	if !frail {
		return WritePiece(dst, src, end), 0
	}
	if len(src) == 8 { // WritePiece stores it as a word
		if at = lostWord(dst); at != 0 {
			return 0, at
		}
	}
	at = Guard(func() { n = WritePiece(dst, src, end) })
	return n, at
}

// TryCopy copies a few bytes, under Guard if one side is frail.
func TryCopy(dst, src []byte, frail bool) (ok bool) {
	if frail {
		_, at := guardedPiece(dst, src)
		return at == 0
	}
	copy(dst, src)
	return true
}

// TryWord carries out an atomic operation, under Guard if the word is frail.
func TryWord(b []byte, frail, swap bool, operand, compare uint64) (old, at uint64) {
	switch {
	case frail:
		if at = lostWord(b); at != 0 {
			return 0, at
		}
		at = Guard(func() { old, _ = TryWord(b, false, swap, operand, compare) })
	case swap:
		old = CompareSwap(b, compare, operand)
	default:
		old = FetchAdd(b, operand)
	}
	return old, at
}

// TryApply is applyAtomic, under Guard if the word is frail.
func TryApply(b []byte, f func(uint64) uint64, frail bool) (old, at uint64) {
	if !frail {
		return applyAtomic(b, f), 0
	}
	if at = lostWord(b); at != 0 {
		return 0, at
	}
	at = Guard(func() { old = applyAtomic(b, f) })
	return old, at
}

// TryPut is putNative, under Guard if the memory is frail.
func TryPut(b []byte, v uint64, frail bool) (at uint64) {
	if !frail {
		putNative(b, v)
		return 0
	}
	return Guard(func() { putNative(b, v) })
}

// FirstFault returns the address of the first page of b that cannot be read, or written; 0 if there is none. It
// is called after the kernel could not copy. The adapter owns the bytes meanwhile, so writing one of them back
// changes nothing.
func FirstFault(b []byte, write bool) (at uint64) {
	page := uint64(os.Getpagesize())
	return Guard(func() {
		for i := uint64(0); i < uint64(len(b)); i += page - (AddrOf(b)+i)%page {
			v := load(&b[i])
			if write {
				shm.StoreByte(&b[i], v)
			}
		}
	})
}

// load is not inlined, so that the compiler keeps it.
//
//go:noinline
func load(p *byte) byte { return *p }

// FaultIn reports whether a fault was at a byte of b.
func FaultIn(b []byte, at uint64) bool { return at-AddrOf(b) < uint64(len(b)) }
