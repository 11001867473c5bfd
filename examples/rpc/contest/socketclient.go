package contest

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"net"
)

func dialSockets(ctx context.Context, network, address string, s Setting) (clients []Client, stop func(), err error) {
	var all []net.Conn
	stop = func() {
		for _, conn := range all {
			conn.Close()
		}
	}
	for range s.Clients {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil {
			stop()
			return nil, nil, err
		}
		all = append(all, conn)
		c := &socketClient{in: bufio.NewReaderSize(conn, bufferSize), out: bufio.NewWriterSize(conn, bufferSize),
			frame: make([]byte, frameHead+s.Size, bufferSize)}
		clients = append(clients, c.run)
	}
	return clients, stop, nil
}

// socketClient makes the calls of all lanes in one goroutine.
type socketClient struct {
	in    *bufio.Reader
	out   *bufio.Writer
	frame []byte
}

func (c *socketClient) run(_ context.Context, lanes []*Lane) error {
	open := 0
	for i := range lanes {
		sent, err := c.request(lanes, i)
		if err != nil {
			return err
		}
		if sent {
			open++
		}
	}
	for open > 0 {
		if c.in.Buffered() == 0 {
			if err := c.out.Flush(); err != nil {
				return err
			}
		}
		frame, err := readFrame(c.in, c.frame)
		if err != nil {
			return err
		}
		i := int(binary.LittleEndian.Uint32(frame))
		if i >= len(lanes) || len(frame) != len(c.frame) {
			return errors.New("a frame that no lane waits for")
		}
		if err := lanes[i].Check(frame[frameHead:]); err != nil {
			return err
		}
		sent, err := c.request(lanes, i)
		if err != nil {
			return err
		}
		if !sent {
			open--
		}
	}
	return nil
}

// request writes the next request of a lane, if there is one.
func (c *socketClient) request(lanes []*Lane, i int) (bool, error) {
	binary.LittleEndian.PutUint32(c.frame, uint32(i))
	binary.LittleEndian.PutUint32(c.frame[4:], uint32(len(c.frame)-frameHead))
	if !lanes[i].Next(c.frame[frameHead:]) {
		return false, nil
	}
	_, err := c.out.Write(c.frame)
	return true, err
}
