package mailbox_test

import (
	"bytes"
	"context"
	"runtime/pprof"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
)

// TestGoroutinesHaveLabels: those of a mailbox, and not those of the goroutine that has made it.
func TestGoroutinesHaveLabels(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		pprof.Do(t.Context(), pprof.Labels("mine", "yes"), func(context.Context) { listen(t, a, config{}) })
		want := `"rdma_adapter":"` + a.Name() + `", "rdma_role":"mailbox"`
		for _, method := range []string{"accept", "flushing", "receive"} {
			for !labelled(t, method, want) { // until it has begun
				if labelled(t, method, `"mine":"yes"`) {
					t.Fatalf("%s has the labels of the program", method)
				}
			}
		}
	})
}

// labelled reports whether a goroutine that runs a method of a mailbox has labels.
func labelled(t *testing.T, method, labels string) bool {
	t.Helper()
	var b bytes.Buffer
	must(t, pprof.Lookup("goroutine").WriteTo(&b, 1))
	for record := range strings.SplitSeq(b.String(), "\n\n") {
		if strings.Contains(record, labels) && strings.Contains(record, "[...])."+method+"+") {
			return true
		}
	}
	return false
}
