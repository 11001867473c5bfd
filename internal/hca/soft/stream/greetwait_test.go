package stream_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
	"github.com/godapl/godapl/internal/iwarp"
)

// TestConnectGivesUpInItsGreeting: a peer that has answered and takes no first frame does not outlast the caller's context.
func TestConnectGivesUpInItsGreeting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := softtest.NewPipes()
		l := softtest.NewLone(t, soft.FabricDriver("pipes", p), hca.Options{}, hca.QPConfig{ReadsOut: 4, ReadsIn: 4})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		result := make(chan error, 1)
		begun := time.Now()
		go func() { result <- l.QP.Connect(ctx, "anywhere:7", hca.ConnParams{}) }()
		c := <-p.Dialled
		defer c.Close()
		softtest.ReadRequest(t, c)
		b, _ := iwarp.AppendReply(nil, &softtest.Theirs)
		_, _ = c.Write(b)
		if err := <-result; !errors.Is(err, hca.Timeout) || time.Since(begun) != time.Second {
			t.Errorf("connecting ended after %v with %v", time.Since(begun), err)
		}
	})
}
