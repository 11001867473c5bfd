package top

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/godapl/godapl/cmd/godapl/internal/command"
	"github.com/godapl/godapl/rdma/debug"
)

// most bounds what is read of an answer.
const most = 64 << 20

// fetch reads the page as JSON.
func fetch(ctx context.Context, page string) (*debug.Snapshot, error) {
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return nil, err
	}
	answer, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, most+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", page, err)
	}
	if len(body) > most {
		return nil, fmt.Errorf("%s: the page has more than %d MiB: select connections with -q, such as the address of a peer", page, most>>20)
	}
	var s debug.Snapshot
	if answer.StatusCode == http.StatusBadRequest { // the page is there, and says what a flag may be
		return nil, command.Misuse("%s; see godapl help top", firstLine(body))
	}
	if answer.StatusCode != http.StatusOK || json.Unmarshal(body, &s) != nil || s.Time.IsZero() { // other pages are JSON, too
		return nil, problem(page, answer.Status, body)
	}
	return &s, nil
}
