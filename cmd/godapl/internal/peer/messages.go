package peer

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/godapl/godapl/internal/doctor"
)

// Port is where a doctor serves.
const Port = "7175"

const (
	version     = 1
	maxMessages = 256 << 10   // bytes that are read from the other side in all
	maxPlaces   = 64          // adapters of the other side that are tried
	limit       = time.Minute // for the whole talk, and for all tests
)

// hello is the first message of the client: what it found on its host.
type hello struct {
	Version int            `json:"godaplDoctor"`
	Report  *doctor.Report `json:"report"`
}

// offer is the answer of the server: what it found, and where its adapters can be tried.
type offer struct {
	Report *doctor.Report `json:"report"`
	Places []place        `json:"places"`
}

// place is an adapter of the server with a partner for tests.
type place struct {
	Adapter string `json:"adapter"`
	// Kind is "TCP", or the transport of a device. Adapters of one kind can talk.
	Kind    string `json:"kind"`
	Address string `json:"address,omitempty"`
	Error   string `json:"error,omitempty"` // why it cannot be tried
}

// results are the last message of the client.
type results struct {
	Tests []doctor.Test `json:"tests"`
}

// talk is a connection that carries messages.
type talk struct {
	net.Conn
	in *json.Decoder
}

func newTalk(conn net.Conn) *talk {
	_ = conn.SetDeadline(time.Now().Add(limit))
	return &talk{conn, json.NewDecoder(io.LimitReader(conn, maxMessages))}
}

func (t *talk) send(message any) error { return json.NewEncoder(t).Encode(message) }

func (t *talk) receive(message any) error {
	if err := t.in.Decode(message); err != nil {
		return fmt.Errorf("the other side does not talk as a doctor: %w", err)
	}
	return nil
}
