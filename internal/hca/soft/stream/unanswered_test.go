package stream_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// TestCloseRefusesTogether: an adapter that closes refuses the requests that nobody has answered. Their peers need not
// take the answers, and then are waited for together.
func TestCloseRefusesTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newCrowd(t, func(hca.ConnRequest) bool { return true })
		for range 20 {
			_, _ = w.come().Write(knock) // and does not read the answer
		}
		synctest.Wait()
		begun := time.Now()
		w.close()
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}
