//go:build !linux || !(amd64 || arm64)

package ibv_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

func TestLoadElsewhere(t *testing.T) {
	lib, err := ibv.Load()
	if lib != nil || !errors.Is(err, hca.Unsupported) || !strings.Contains(err.Error(), "Linux") {
		t.Errorf("%v, %v", lib, err)
	}
}
