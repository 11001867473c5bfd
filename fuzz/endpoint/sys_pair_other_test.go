//go:build !unix

package endpoint_test

import (
	"errors"
	"net"
)

func socketPair() (a, b net.Conn, err error) {
	return nil, nil, errors.New("pairs of sockets are made on Unix only")
}
