package valkey_test

import (
	"testing"

	"github.com/godapl/godapl/rdma/internal/stream/streamtest"
	"github.com/godapl/godapl/rdma/valkey"
)

func TestEmptyReads(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := pair(t, open(t, name), valkey.Config{})
		streamtest.EmptyReads(t, x, y)
	})
}
