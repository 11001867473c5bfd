package sharedmem_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca"
)

// TestNameOfThisHost: which names the network alone knows is told, since the host may well be this one.
func TestNameOfThisHost(t *testing.T) {
	name, err := os.Hostname()
	if err != nil || name == "localhost" {
		t.Skip("no name of its own: ", name, err)
	}
	err = newScarce(t).newQP().Connect(t.Context(), name+":7", hca.ConnParams{})
	if !errors.Is(err, hca.Refused) || !strings.Contains(err.Error(), "neither localhost nor an address of this host") {
		t.Errorf("%v", err)
	}
}
