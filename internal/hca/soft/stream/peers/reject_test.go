package peers_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// What a rejected peer receives.
func TestReject(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	v := s.listen(t)
	for _, f := range []iwarp.Frame{plain1, {Revision: iwarp.Revision2}, responder.frame} {
		for _, private := range []string{"", "no", strings.Repeat("x", s.a.Attr().MaxPrivateData)} {
			t.Run(fmt.Sprintf("revision %d, %d bytes", f.Revision, len(private)), func(t *testing.T) {
				p := dial(t, v.address())
				p.sendRequest(f)
				if err := v.request().Reject([]byte(private)); err != nil {
					t.Error(err)
				}
				if got := p.rejected(t); got.Revision != f.Revision || got.Enhanced != f.Enhanced || string(got.Private) != private {
					t.Errorf("the reply is %+v", got)
				}
			})
		}
	}
	full, err := s.a.Listen(context.Background(), hca.ListenConfig{Address: "127.0.0.1:0", OnRequest: func(hca.ConnRequest) bool { return false }})
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	p := dial(t, full.Addr())
	p.sendRequest(responder.frame)
	p.rejected(t)
	s.bystander(t)
}
