module github.com/godapl/godapl/examples/valkey

go 1.26.0

require (
	github.com/alicebob/miniredis/v2 v2.40.0
	github.com/godapl/godapl v0.0.0
	github.com/redis/go-redis/v9 v9.23.0
	github.com/valkey-io/valkey-go v1.0.79
	go.uber.org/goleak v1.3.0
)

require (
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/ebitengine/purego v0.11.3 // indirect
	github.com/gopacket/gopacket v1.7.7 // indirect
	github.com/yuin/gopher-lua v1.1.1 // indirect
	go.uber.org/atomic v1.12.0 // indirect
	golang.org/x/net v0.57.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/godapl/godapl => ../..
