package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"runtime"
	"sync/atomic"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// A record is a version, the data, and the checksum of both.
const (
	dataSize   = 60000
	recordSize = 8 + dataSize + 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// compose makes the whole record in memory of the program's own.
func compose(record []byte, version uint64, data []byte) {
	binary.LittleEndian.PutUint64(record, version)
	copy(record[8:], data)
	sum := crc32.Checksum(record[:8+dataSize], castagnoli)
	binary.LittleEndian.PutUint32(record[8+dataSize:], sum)
}

// firstRecord is version 0.
func firstRecord() []byte {
	record := make([]byte, recordSize)
	compose(record, 0, make([]byte, dataSize))
	return record
}

// whole reports whether a copy of the record is of one version.
func whole(record []byte) bool {
	return crc32.Checksum(record[:8+dataSize], castagnoli) == binary.LittleEndian.Uint32(record[8+dataSize:])
}

// errTorn is for a record that changes faster than it can be read.
var errTorn = errors.New("the record was torn at each try")

// snapshot reads the record until it is whole. torn counts the reads that were not. The
// data is valid until the buffer is used again. The checksum makes the order in which the
// bytes are stored, and read, irrelevant.
func snapshot(ctx context.Context, conn *rdma.Conn, buffer *mem.Region, remote mem.Remote) (version uint64, data []byte, torn int, err error) {
	for torn < 1000 {
		if _, err := conn.Read(ctx, buffer.Slice(0, recordSize), remote); err != nil {
			return 0, nil, torn, err
		}
		if b := buffer.Bytes()[:recordSize]; whole(b) {
			return binary.LittleEndian.Uint64(b), b[8 : 8+dataSize], torn, nil
		}
		torn++
	}
	return 0, nil, torn, errTorn
}

// own changes the record until it is told to stop. It composes the record first and then
// copies it in one go, so that the record is torn for as short as possible. All data bytes
// of a version are the low byte of its number: a mixture of two versions is detectable.
func own(record []byte, stop *atomic.Bool) {
	next := make([]byte, recordSize)
	for version := uint64(1); !stop.Load(); version++ {
		compose(next, version, bytes.Repeat([]byte{byte(version)}, dataSize))
		copy(record, next)
		runtime.Gosched() // readers get their turn on one processor
	}
}

// check fails if the data is not of the version, or the version goes back.
func check(version uint64, data []byte, last uint64) error {
	if version < last {
		return fmt.Errorf("version %d after %d", version, last)
	}
	if bytes.Count(data, []byte{byte(version)}) != len(data) {
		return fmt.Errorf("version %d has bytes of another one", version)
	}
	return nil
}
