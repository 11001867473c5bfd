package peers_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp/iwarptest"
)

// The malformed bytes of the codec's own test vectors are sent unchanged: the connection must react to them as
// required.

func TestMalformedVectors(t *testing.T) {
	var cases []badCase
	for _, v := range iwarptest.Malformed() {
		if v.Request {
			continue
		}
		c := fixed(0, v.Name, strings.Join(v.Want, " "), v.Wire)
		c.idle = v.Name == "read_resp_unsolicited" // otherwise it would answer a request
		if c.want == "accept" {                    // a Send of "hello"
			c.recvs = []int{16}
			c.data = func(x *exchange) []byte {
				x.may(x.m().recv, 0, 5)
				x.p.send++
				return v.Wire
			}
			c.check = func(x *exchange, _ ending) {
				x.e.received()
				x.m().holds(x.t, x.m().recv.span(0, 5), "hello")
			}
		}
		cases = append(cases, c)
	}
	runCases(t, cases)
}

func TestMalformedRequestVectors(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	count := 0
	for _, vec := range iwarptest.Malformed() {
		if !vec.Request {
			continue
		}
		count++
		t.Run(vec.Name, func(t *testing.T) {
			v := s.listen(t)
			p := dial(t, v.address())
			p.write(vec.Wire)
			switch {
			case slices.Contains(vec.Want, "accept"):
				r := v.request()
				e := s.endpoint(t, depths{4, 4})
				result := e.accept(r, nil)
				p.takeReply()
				e.established(result)
				(&exchange{t, e, p}).alive()
			case slices.Contains(vec.Want, "reject"):
				p.rejected(t)
			default:
				p.closed(t)
			}
			if len(v.requests) > 0 {
				t.Error("a request was delivered")
			}
		})
	}
	if count == 0 {
		t.Error("there are no requests among the vectors")
	}
	s.bystander(t)
}
