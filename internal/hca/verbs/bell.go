package verbs

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// belled waits as a descriptor does, for a channel of simulated libraries.
type belled struct{ stop, done chan struct{} }

func watchBell(name string, bell *ibv.Bell, next func() ibv.Errno) *descriptor {
	b := &belled{make(chan struct{}), make(chan struct{})}
	go hca.Labeled("devices", name, func() { b.run(bell.C, next) })()
	return &descriptor{bell: b}
}

func (b *belled) run(ring <-chan struct{}, next func() ibv.Errno) {
	defer close(b.done)
	for {
		select {
		case <-b.stop:
			return
		case <-ring:
		}
		for e := ibv.Errno(0); e != ibv.EAGAIN; {
			if e = next(); e != 0 && e != ibv.EINTR && e != ibv.EAGAIN {
				return // the device is gone
			}
		}
	}
}

func (b *belled) close() {
	close(b.stop)
	<-b.done
}
