// Package secure puts TLS between a connection and its stream.
//
//	configurations        config.go fabric.go
//	a stream              stream.go
//	below TLS             carrier.go
//	without blocking      now.go
//	errors in words       explain.go
//
// All cryptography is crypto/tls. A Stream is a tls.Conn over a carrier, and the carrier is what makes
// one usable without a goroutine of its own: it hands crypto/tls whole records only, and it takes every
// byte that crypto/tls writes. So a tls.Conn never sees half a record, and no write of it ever fails
// because a socket is full, which would end it for good. In its first and last phase a carrier is over
// a net.Conn and blocks; between, it is over a Socket and does not.
//
// A line of code in this package may touch a stream and its bytes. It knows no frame of iWARP, no
// connection and no queue pair.
package secure
