package mailbox_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// TestShortestMessageOfASender: the mailbox rejects a sender that could not take its answers or reasons, and
// says so.
func TestShortestMessageOfASender(t *testing.T) {
	const at, reason = 40, 24 + 100
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		zone, err := a.NewZone()
		must(t, err)
		plain := listen(t, a, config{}) // answers of 16 bytes
		long := listen(t, a, mailbox.Config[uint64, [200]byte]{})
		codec := listen(t, a, mailbox.Config[uint64, []byte]{Answers: blobs(nil), MaxAnswer: 5000})
		for name, c := range map[string]struct {
			address string
			hello   []byte
			least   uint32
		}{
			"a reason":           {plain.Addr().String(), mailbox.Hello[order, receipt](8, 8), reason},
			"a plain answer":     {long.Addr().String(), mailbox.Hello[uint64, [200]byte](8, 8), 24 + 200},
			"an encoded answer":  {codec.Addr().String(), mailbox.AnswerHello[uint64]("blob", 8, 8), 24 + 5000},
			"a shorter encoding": {codec.Addr().String(), shortAnswers(mailbox.AnswerHello[uint64]("blob", 8, 8), 300), 24 + 300},
		} {
			for _, message := range []uint32{c.least, c.least - 1, 0} {
				binary.BigEndian.PutUint32(c.hello[at:], message)
				conn, err := a.Dial(t.Context(), c.address, rdma.EndpointConfig{Zone: zone, Private: c.hello})
				if message == c.least {
					if err != nil {
						t.Errorf("%s, %d bytes: %v", name, message, err)
						continue
					}
					must(t, conn.Close())
					continue
				}
				rejected := new(rdma.Error)
				if !errors.As(err, &rejected) || rejected.Code != rdma.ErrRejected || !strings.Contains(string(rejected.Private), "bytes at most") {
					t.Errorf("%s, %d bytes: %v", name, message, err)
				}
			}
		}
	})
}

// shortAnswers is a hello whose sender takes answers of so many bytes.
func shortAnswers(hello []byte, bytes uint32) []byte {
	binary.BigEndian.PutUint32(hello[12:], bytes)
	return hello
}
