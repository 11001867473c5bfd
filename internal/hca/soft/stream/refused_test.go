package stream_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
	"github.com/godapl/godapl/internal/hca/soft/halfopen"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
	"github.com/godapl/godapl/internal/iwarp"
)

// TestRefusalsAreReported: each stream that does not become a request is reported once, with the reason, unless its peer
// leaves of its own accord.
func TestRefusalsAreReported(t *testing.T) {
	request := func(private string) []byte {
		b, _ := iwarp.AppendRequest(nil, &iwarp.Frame{Revision: iwarp.Revision1, CRC: true, Private: []byte(private)})
		return b
	}
	for name, x := range map[string]struct {
		says []byte
		ends bool   // the peer ends the stream behind it
		want string // "": no report
	}{
		"a good request":       {says: request("")},
		"another program":      {says: []byte("GET / HTTP/1.1\r\nHost: there\r\n\r\n"), want: "what the peer sent is no request"},
		"TLS":                  {says: []byte("\x16\x03\x01\x00\xff 20 bytes of a handshake"), want: "the peer uses TLS"},
		"more than a request":  {says: append(request(""), 1), want: "bytes came before the reply"},
		"nothing":              {want: "the request did not come in 5s"},
		"half a request":       {says: request("")[:10], want: "the request did not come in 5s"},
		"another wide service": {says: request("godapl\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00"), want: "another service"},
		"nothing, and an end":  {ends: true},
		"half, and an end":     {says: request("")[:10], ends: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, reports := softtest.NewPipes(), make(chan string, 8)
				d := soft.FabricDriver("pipes", p)
				a, err := d.Open(context.Background(), d.Names()[0], hca.Options{Refused: func(_ string, cause error) { reports <- cause.Error() }})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := a.Listen(context.Background(), hca.ListenConfig{Address: "anywhere:7", OnRequest: func(hca.ConnRequest) bool { return true }}); err != nil {
					t.Fatal(err)
				}
				ours, theirs := net.Pipe()
				p.Accepted <- ours
				go softtest.DrainPipe(theirs)
				_, _ = theirs.Write(x.says)
				if x.ends {
					_ = theirs.Close()
				}
				<-time.After(time.Minute)
				if err := a.Close(); err != nil {
					t.Error(err)
				}
				_ = theirs.Close()
				synctest.Wait()
				close(reports)
				var got []string
				for r := range reports {
					got = append(got, r)
				}
				if x.want == "" && len(got) != 0 || x.want != "" && (len(got) != 1 || !strings.Contains(got[0], x.want)) {
					t.Errorf("reported: %q, want %q", got, x.want)
				}
			})
		})
	}
}

// TestEvictionIsReported: so is a stream that is closed because there are too many.
func TestEvictionIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reports []string
		w := newCrowd(t, func(hca.ConnRequest) bool { return true }, func(_ string, cause error) { reports = append(reports, cause.Error()) })
		for range places + 1 {
			w.come()
		}
		<-time.After(halfopen.Grace)
		synctest.Wait()
		if len(reports) != 1 || !strings.Contains(reports[0], "too many streams") {
			t.Errorf("reported: %q", reports)
		}
		w.close()
		if len(reports) != 1 {
			t.Errorf("the end of the adapter was reported: %q", reports[1:])
		}
	})
}
