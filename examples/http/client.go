package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rsocket"
)

// newClient makes a client that connects by RDMA.
func newClient(adapter *rdma.Adapter, ca string, fallback bool) (*http.Client, error) {
	dialer := &rsocket.Dialer{Adapter: adapter}
	if fallback {
		dialer.Fallback = &net.Dialer{}
	}
	transport := &http.Transport{DialContext: dialer.DialContext, ForceAttemptHTTP2: true}
	if ca != "" {
		text, err := os.ReadFile(ca)
		if err != nil {
			return nil, err
		}
		trusted := x509.NewCertPool()
		if !trusted.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s has no certificate", ca)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: trusted}
	}
	return &http.Client{Transport: transport}, nil
}

// get copies what is at url.
func get(ctx context.Context, c *http.Client, url string, out io.Writer) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	answer, err := c.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, answer.Status)
	}
	_, err = io.Copy(out, answer.Body)
	return err
}
