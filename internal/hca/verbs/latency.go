package verbs

import (
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// epoch is what the times of posts are relative to.
var epoch = time.Now()

// latency has a histogram for each operation that has succeeded, with QPConfig.Latency. The mu of the completion
// queue guards it, as it guards the counters. A request ends for it when its completion is read from the device.
type latency [hca.OpRecv]*hca.Latency

func (l *latency) done(r *sendRec) {
	if l[r.op] == nil {
		l[r.op] = new(hca.Latency)
	}
	l[r.op].Record(time.Since(epoch) - time.Duration(r.posted))
}

// read copies the histograms. The caller holds the completion queue's mu.
func (l *latency) read() (all latency) {
	if l == nil {
		return all
	}
	for op, h := range l {
		if h != nil {
			copied := *h
			all[op] = &copied
		}
	}
	return all
}
