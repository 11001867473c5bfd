package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// check reads a journal: the entries of each client are numbered from 1, without gaps.
func check(name string, clients int) (entries int, err error) {
	file, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	last := map[int64]int64{}
	for {
		var e entry
		if err := binary.Read(file, binary.LittleEndian, &e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return entries, err
		}
		if e.Number != last[e.Client]+1 || e.Cents != e.Number {
			return entries, fmt.Errorf("entry %d of client %d, of %d cents, follows entry %d", e.Number, e.Client, e.Cents, last[e.Client])
		}
		last[e.Client] = e.Number
		entries++
	}
	if len(last) != clients {
		return entries, fmt.Errorf("entries of %d clients, not %d", len(last), clients)
	}
	return entries, nil
}
