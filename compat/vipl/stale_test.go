package vipl_test

import (
	"runtime"
	"testing"

	"github.com/godapl/godapl/compat/vipl"
)

// TestCompletionsOfAnEarlierAttempt: a completion of an earlier attempt to connect completes nothing, although its
// descriptor had the same place. Here it tells success, of a message that finds no receive.
func TestCompletionsOfAnEarlierAttempt(t *testing.T) {
	for what, take := range map[string]func(b *side, d *vipl.Descriptor){
		"wait": func(b *side, d *vipl.Descriptor) { b.sent(d, vipl.StatusRemoteDescError) },
		"done": func(b *side, d *vipl.Descriptor) {
			var got *vipl.Descriptor
			ret := vipl.NotDone
			for ret == vipl.NotDone {
				ret = vipl.SendDone(b.vi, &got)
				runtime.Gosched()
			}
			b.completed(ret, got, d, vipl.StatusRemoteDescError)
		},
	} {
		t.Run(what, func(t *testing.T) {
			_, b := pair(t, "soft-loop")
			d := b.postSend(b.desc(0, seg(b.mem, b.room(8))))
			if err := vipl.Stale(b.vi); err != nil {
				t.Fatal(err)
			}
			take(b, d)
		})
	}
}
