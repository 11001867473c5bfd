package event_test

import (
	"runtime"
	"testing"
	"testing/synctest"
	"weak"

	"github.com/godapl/godapl/rdma/event"
)

// big is large enough not to share its memory with others.
type big [1 << 10]byte

// pointers is a source of events with pointers.
type pointers struct{ evs []*big }

func (p *pointers) Drain(dst []*big) (int, bool) {
	n := copy(dst, p.evs)
	clear(p.evs[:n])
	p.evs = p.evs[n:]
	return n, true
}

func (p *pointers) Arm() error { return nil }

// A queue that has handed an event out must not keep what it refers to alive.
func TestNothingIsKeptAlive(t *testing.T) {
	for name, pass := range map[string]func(d *event.Dispatcher[*big], evs []*big){
		"Poll": func(d *event.Dispatcher[*big], evs []*big) {
			event.ProviderOf(d).PutAll(evs, false)
			d.Poll(make([]*big, 8))
		},
		"Dequeue": func(d *event.Dispatcher[*big], evs []*big) {
			event.ProviderOf(d).PutAll(evs, false)
			for range evs {
				d.Dequeue()
			}
		},
		"C": func(d *event.Dispatcher[*big], evs []*big) {
			event.ProviderOf(d).PutAll(evs, false)
			for range evs {
				<-d.C()
			}
			synctest.Wait() // for its goroutine
		},
		"Batches": func(d *event.Dispatcher[*big], evs []*big) {
			event.ProviderOf(d).PutAll(evs, false)
			(<-d.Batches(event.BatchConfig{Size: 8})).Release()
			d.Post(new(big))
			(<-d.Batches(event.BatchConfig{Size: 8})).Release()
		},
		"Wait": func(d *event.Dispatcher[*big], evs []*big) {
			go event.ProviderOf(d).PutAll(evs, false)
			d.Wait(background, len(evs))
			d.Poll(make([]*big, 8))
		},
		"source": func(d *event.Dispatcher[*big], evs []*big) {
			src := &pointers{evs: evs}
			event.ProviderOf(d).Attach(src)
			event.ProviderOf(d).Pump()
			event.ProviderOf(d).PutAfterSources(&evs[0], false)
			d.Poll(make([]*big, 8))
		},
		"Close": func(d *event.Dispatcher[*big], evs []*big) {
			event.ProviderOf(d).PutAll(evs, false)
			d.Close()
		},
	} {
		inBubble(t, name, func(t *testing.T) {
			d := event.New[*big](event.Config{})
			defer d.Close()
			var left []weak.Pointer[big]
			func() {
				var evs []*big
				for range 3 {
					b := new(big)
					evs = append(evs, b)
					left = append(left, weak.Make(b))
				}
				pass(d, evs)
			}()
			runtime.GC()
			for i, w := range left {
				if w.Value() != nil {
					t.Errorf("event %d is kept alive", i)
				}
			}
			runtime.KeepAlive(d)
		})
	}
}

func inBubble(t *testing.T, name string, f func(*testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}
