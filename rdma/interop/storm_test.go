package interop_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// stormArea is the memory that a storm goes over: the first half holds pattern 1
// and is only read, the second is only written.
const stormArea = 256 << 10

// storm has as many reads and writes under way as go, of all lengths, mixed, and
// compares what was read. At the end the second half holds pattern seed.
func storm(ctx context.Context, l *link, remote mem.Remote, seed, n int) error {
	const half, most, under = stormArea / 2, 9000, 16
	r := rand.New(rand.NewPCG(uint64(seed), 1))
	read, err := l.zone.Alloc(under*most, mem.Local)
	if err != nil {
		return err
	}
	defer read.Free()
	source, err := l.zone.Alloc(half, mem.Local)
	if err != nil {
		return err
	}
	defer source.Free()
	fill(source.Bytes()[:half], seed)
	want := pattern(1, half)
	free := make([]uint64, under)
	for i := range free {
		free[i] = uint64(i)
	}
	at, lengths, write := [under]int{}, [under]int{}, 0
	for posted, done := 0, 0; done < n || write < half; {
		for len(free) > 0 && (posted < n || write < half) {
			i := free[len(free)-1]
			length := r.IntN(most) * r.IntN(2) // half of them are short
			if length == 0 {
				length = 1 + r.IntN(64)
			}
			if r.IntN(2) == 0 && write < half || posted >= n {
				length = min(whole(write, length), half-write)
				err = l.conn.PostWrite(rdma.Write{From: source.Slice(write, length), To: remote.Slice(half+write, length), Cookie: i})
				lengths[i] = 0
				write += length
			} else {
				at[i] = r.IntN(half - most)
				length = whole(at[i], length)
				lengths[i] = length
				err = l.conn.PostRead(rdma.Read{Into: read.Slice(int(i)*most, length), From: remote.Slice(at[i], length), Cookie: i})
			}
			if err != nil {
				return err
			}
			free = free[:len(free)-1]
			posted++
		}
		c, _, err := l.SendCompletions().Wait(ctx, 1)
		if err == nil {
			err = c.Err()
		}
		if err != nil {
			return fmt.Errorf("operation %d: %w", done, err)
		}
		i := c.Cookie
		if got := read.Slice(int(i)*most, lengths[i]).Bytes(); string(got) != string(want[at[i]:at[i]+lengths[i]]) {
			return fmt.Errorf("operation %d: a read of %d bytes at %d brought others", done, lengths[i], at[i])
		}
		free = append(free, i)
		done++
	}
	for len(free) < under { // the last ones
		c, _, err := l.SendCompletions().Wait(ctx, 1)
		if err == nil {
			err = c.Err()
		}
		if err != nil {
			return err
		}
		free = append(free, c.Cookie)
	}
	return nil
}

// whole makes a short piece longer that would reach across the end of a page: siw
// sends up to 32 such bytes wrong.
func whole(at, length int) int {
	if length <= 32 && at/4096 != (at+length-1)/4096 {
		return 33
	}
	return length
}
