package perf

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	tool "github.com/godapl/godapl/cmd/godapl/internal/command"
)

// TestRoom: sizes that overflow, or exceed the memory of any host, are misuse.
func TestRoom(t *testing.T) {
	for flags, want := range map[string]string{
		"-slices -depth 200000000000000000":                     "-depth 200000000000000000",
		"-slices -depth 1000000 -size 1000000":                  "GiB at most",
		"-endpoints 9223372036854775807":                        "-endpoints",
		"-op send -connections 9223372036854775807":             "-connections",
		"-op send -connections 1000000 -depth 1000000":          "GiB at most",
		"-op send -endpoints 1000000 -depth 1000000 -size 9000": "GiB at most",
	} {
		_, err := parse(strings.Fields(flags), io.Discard)
		if tool.Code(err) != tool.Misused || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", flags, err)
		}
	}
}

// TestServeRefuses: -serve refuses settings that no perf sends, and tells the other side.
func TestServeRefuses(t *testing.T) {
	for settings, want := range map[string]string{
		`{"Path":"tcp"}`: "no operation",
		`{"Path":"tcp","Op":"send","Mode":"poll","API":"native","Size":-63,"Depth":1,"Endpoints":1,"Rounds":1,"Duration":1}`:            "at least a byte",
		`{"Path":"tcp","Op":"send","Mode":"poll","API":"native","Size":8,"Depth":1,"Endpoints":0,"Rounds":1,"Duration":1}`:              "-endpoints",
		`{"Path":"tcp","Op":"send","Mode":"poll","API":"native","Size":8,"Depth":1,"Endpoints":1099511627776,"Rounds":1,"Duration":1}`:  "-endpoints",
		`{"Path":"tcp","Op":"write","Mode":"poll","API":"native","Size":1048576,"Depth":1048576,"Endpoints":1,"Rounds":1,"Duration":1}`: "GiB at most",
	} {
		said, errs := io.Pipe()
		served := make(chan error, 1)
		go func() {
			served <- run(t.Context(), []string{"-path", "tcp", "-serve", "127.0.0.1:0"}, io.Discard, errs)
		}()
		line := make([]byte, 100)
		n, err := said.Read(line)
		if err != nil {
			t.Fatal(err)
		}
		conn, err := net.Dial("tcp", strings.Fields(string(line[:n]))[3]) // perf: waiting at ADDRESS
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		var got answer
		_, err = io.WriteString(conn, settings)
		if err = errors.Join(err, json.NewDecoder(conn).Decode(&got)); err != nil || !strings.Contains(got.Err, want) {
			t.Errorf("%s: %q, %v", settings, got.Err, err)
		}
		if err := <-served; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the side with -serve says %v", settings, err)
		}
	}
}
