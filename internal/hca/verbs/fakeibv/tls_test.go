package fakeibv_test

import (
	"crypto/tls"
	"errors"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs"
	"github.com/godapl/godapl/internal/hca/verbs/fakeibv"
)

// TestTLSIsRefused: a device moves the bytes by itself, so one that is asked for TLS is not opened. A program that sets
// the option has TLS or does not start.
func TestTLSIsRefused(t *testing.T) {
	w := fakeibv.New(fakeibv.Config{Seed: 1})
	defer w.Close()
	d := verbs.Simulated(w.Lib(), w.Names(), w.Addrs())
	for _, opt := range []hca.Options{{TLS: &tls.Config{}}, {TLS: &tls.Config{}, TLSNetworkOnly: true}, {TLSNetworkOnly: true}} {
		a, err := d.Open(t.Context(), "fake0", opt)
		if err == nil {
			a.Close()
		}
		if !errors.Is(err, hca.Unsupported) || !strings.Contains(err.Error(), "TLS") {
			t.Errorf("%v", err)
		}
	}
	if l := w.Left(); len(l) > 0 {
		t.Errorf("left: %q", l)
	}
	a, err := d.Open(t.Context(), "fake0", hca.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}
