package ibv

import (
	"math/bits"
	"testing"
)

// What a value means: zero, an error number, one negated, or -1 with errno.
func TestResult(t *testing.T) {
	minus := func(n int32) uintptr { return uintptr(uint32(-n)) }
	const junk = 0xdeadbeef << 32 & (1<<bits.UintSize - 1) // the upper half of the register, if it has one
	for _, c := range []struct {
		r    result
		want Errno
	}{
		{result{0, uintptr(EBUSY)}, 0},
		{result{junk, 0}, 0},
		{result{uintptr(EINVAL), uintptr(EBUSY)}, EINVAL},
		{result{junk | uintptr(EINVAL), 0}, EINVAL},
		{result{minus(int32(ENOMEM)), uintptr(EBUSY)}, ENOMEM},
		{result{minus(1), uintptr(EAGAIN)}, EAGAIN},
		{result{junk | minus(1), uintptr(EAGAIN)}, EAGAIN},
		{result{minus(1), 0}, EIO},
	} {
		if e := c.r.verbs(); e != c.want {
			t.Errorf("%#x with errno %d: %v, want %v", c.r.value, c.r.errno, e, c.want)
		}
	}
	if p, e := (result{0x1000, uintptr(EBUSY)}).pointer(); p != 0x1000 || e != 0 {
		t.Errorf("an address: %#x, %v", p, e)
	}
	if p, e := (result{0, uintptr(EBUSY)}).pointer(); p != 0 || e != EBUSY {
		t.Errorf("no address: %#x, %v", p, e)
	}
	// Half of an address may be zeros.
	const round = 1 << (bits.UintSize/2 + 8)
	if p, e := (result{round, 0}).pointer(); p != round || e != 0 {
		t.Errorf("a round address: %#x, %v", p, e)
	}
}
