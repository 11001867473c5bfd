package connreq

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
)

// TestRetryWarnsOnceAMinute, at once at first, and says how often the system has failed meanwhile.
func TestRetryWarnsOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		a := core.NewAdapter(core.NewAttr("test", "", 0), hca.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
		r := Retry{Adapter: a}
		fail := func(until time.Duration) {
			for end := time.Now().Add(until); time.Now().Before(end); {
				if !r.Wait(errors.New("too many open files")) {
					t.Fatal("it gives up")
				}
			}
		}
		fail(retryPause)
		if n := strings.Count(log.String(), "too many open files"); n != 1 {
			t.Errorf("%d warnings of the first failure", n)
		}
		fail(2*retryTell + time.Second)
		if n := strings.Count(log.String(), "too many open files"); n != 3 || !strings.Contains(log.String(), "times=1200") {
			t.Errorf("%d warnings in two minutes:\n%s", n, &log)
		}
		a.Shutdown(func() {})
		if r.Wait(errors.New("closed")) {
			t.Error("the adapter has closed, and it goes on")
		}
	})
}
