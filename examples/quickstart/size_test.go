package main

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// TestReaderDoubtsSizes has owners whose file is as large as no memory is.
func TestReaderDoubtsSizes(t *testing.T) {
	for _, length := range []uint64{1 << 63, 1 << 62} {
		ctx := within(t)
		owner := func(ctx context.Context, name, address string) error {
			adapter, zone, _, err := open(ctx, name)
			if err != nil {
				return err
			}
			defer adapter.Close()
			private, err := mem.Remote{Length: length}.MarshalBinary()
			if err != nil {
				return err
			}
			_, err = adapter.Dial(ctx, address, rdma.EndpointConfig{Zone: zone, Private: private})
			return err
		}
		err := fetch(ctx, io.Discard, "soft", "", "none", func(ctx context.Context, name, address, _ string) (string, func() error, error) {
			ended := make(chan error, 1)
			go func() { ended <- owner(ctx, name, address) }()
			return "liar", func() error { return <-ended }, nil
		})
		if err == nil || !strings.Contains(err.Error(), "bytes") {
			t.Errorf("%v, want that there is not so much memory", err)
		}
	}
}
