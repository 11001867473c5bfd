package rdma

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// logText is what was logged, from any goroutine.
type logText struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// take returns the text since the last call.
func (l *logText) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.b.Reset()
	return l.b.String()
}

// logTo is a logger without times.
func logTo(b *logText, level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
			return slog.Attr{}
		}
		return a
	}}))
}

// TestLogIsSampled: ten of each kind in a second, then their number; the next second begins anew.
func TestLogIsSampled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b logText
		l := connLog{log: logTo(&b, slog.LevelInfo)}
		say := func(kind, n int) {
			for i := range n {
				l.tell(kind, func() []slog.Attr { return []slog.Attr{slog.Int("n", i)} })
			}
		}
		check := func(when string, want ...string) {
			t.Helper()
			synctest.Wait()
			got := map[string]int{}
			for line := range strings.Lines(b.take()) {
				text, rest, _ := strings.Cut(strings.TrimPrefix(line, `msg="rdma: `), `" `)
				if strings.HasPrefix(text, "more ") {
					text += " " + strings.TrimSpace(rest)
				}
				got[text]++
			}
			wanted := map[string]int{}
			for _, w := range want {
				n, text := 0, ""
				fmt.Sscanf(w, "%d", &n)
				_, text, _ = strings.Cut(w, " ")
				wanted[text] = n
			}
			if fmt.Sprint(got) != fmt.Sprint(wanted) {
				t.Errorf("%s: got %v, want %v", when, got, wanted)
			}
		}
		second := func() { <-time.After(logEvery + time.Millisecond) }
		say(logMade, 10)
		say(logLost, 3)
		check("few", "10 connection established", "3 connection lost")
		second()
		check("a second later")
		say(logMade, 25)
		say(logRefused, 11)
		check("many", "10 connection established", "10 connection refused")
		second()
		check("their second is over", "1 more connections established connections=15", "1 more connections refused connections=1")
		say(logMade, 1)
		check("the next second", "1 connection established")
		say(logMade, 10)
		check("still in it", "9 connection established")
		l.close()
		check("the end", "1 more connections established connections=1")
		say(logLost, 1)
		check("behind the end", "1 connection lost")
	})
}

// TestLogIsLazy: nothing is made for a logger that does not want Info.
func TestLogIsLazy(t *testing.T) {
	var b logText
	l := connLog{log: logTo(&b, slog.LevelWarn)}
	l.tell(logMade, func() []slog.Attr { t.Error("attributes for nobody"); return nil })
	l.close()
	if text := b.take(); text != "" || l.timer != nil {
		t.Errorf("%q", text)
	}
}
