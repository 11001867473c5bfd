package debug

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// BenchmarkPage asks for the page of an adapter with ten thousand ends of connections, while one goroutine writes over
// all of them in turn. It reports the longest of the writes, beside that of writes without looks.
func BenchmarkPage(b *testing.B) {
	a, clients, _ := crowd(b, 5000)
	memory, err := clients[0].Zone().Alloc(64, mem.All)
	if err != nil {
		b.Fatal(err)
	}
	write := func(ctx context.Context) (worst time.Duration) {
		for i := 0; ctx.Err() == nil; i++ {
			begin := time.Now()
			if _, err := clients[i%len(clients)].Write(context.Background(), memory.Slice(0, 8), memory.Slice(8, 8).Remote()); err != nil {
				b.Error(err)
			}
			worst = max(worst, time.Since(begin))
		}
		return worst
	}
	alone, cancel := context.WithTimeout(b.Context(), time.Second)
	quiet := write(alone)
	cancel()
	ctx, stop := context.WithCancel(b.Context())
	var work sync.WaitGroup
	var worst time.Duration
	work.Go(func() { worst = write(ctx) })
	v := &viewer{adapters: []*rdma.Adapter{a}}
	for b.Loop() {
		if w := get(v, "?sort=-idle"); w.Code != http.StatusOK {
			b.Fatal(w.Body)
		}
	}
	stop()
	work.Wait()
	b.ReportMetric(float64(quiet.Microseconds())/1e3, "worst-write-without-ms")
	b.ReportMetric(float64(worst.Microseconds())/1e3, "worst-write-ms")
}
