package main

import (
	"encoding/binary"
	"errors"

	"github.com/godapl/godapl/rdma/mem"
)

const (
	pieceSize   = 256 << 10
	pieces      = 4 // under way at a time
	messageSize = 1 << 10
)

// A request asks for as much of a file, from an offset on, as the memory takes.
type request struct {
	offset int64
	to     mem.Remote
	file   string
}

var errRequest = errors.New("the request makes no sense")

// marshal makes a message of it: the offset, the length of the memory's name, that name, and
// the file's.
func (r request) marshal() ([]byte, error) {
	to, err := r.to.MarshalBinary()
	if err != nil {
		return nil, err
	}
	b := binary.BigEndian.AppendUint64(nil, uint64(r.offset))
	b = append(append(append(b, byte(len(to))), to...), r.file...)
	if len(b) > messageSize {
		return nil, errors.New("the name of the file is too long")
	}
	return b, nil
}

func (r *request) unmarshal(b []byte) error {
	if len(b) < 9 || len(b) < 9+int(b[8]) {
		return errRequest
	}
	r.offset = int64(binary.BigEndian.Uint64(b))
	if r.offset < 0 {
		return errRequest
	}
	r.file = string(b[9+int(b[8]):])
	return r.to.UnmarshalBinary(b[9 : 9+int(b[8])])
}
