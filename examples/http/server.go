package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rsocket"
)

type server struct {
	http  http.Server
	ln    net.Listener
	ended chan error
}

// serve starts a server for the files of a folder; with a certificate, by HTTPS.
func serve(ctx context.Context, adapter *rdma.Adapter, address, folder, cert, key string) (*server, error) {
	files, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	files.Close() // the server would start without a folder, and find no file
	ln, err := rsocket.Listen(ctx, adapter, address, rsocket.Config{})
	if err != nil {
		return nil, err
	}
	s := &server{ln: ln, ended: make(chan error, 1)}
	s.http.Handler = http.FileServer(http.Dir(folder))
	go func() {
		if cert == "" {
			s.ended <- s.http.Serve(ln)
		} else {
			s.ended <- s.http.ServeTLS(ln, cert, key)
		}
	}()
	return s, nil
}

func (s *server) addr() string { return s.ln.Addr().String() }

// close ends the server at once.
func (s *server) close() error {
	err := s.http.Close()
	if end := <-s.ended; !errors.Is(end, http.ErrServerClosed) {
		err = errors.Join(err, end)
	}
	return err
}
