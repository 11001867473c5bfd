// Package neighbour is how processes of one host find one another, before they share memory: by the names of their
// services, over sockets that carry descriptors. There is the system's machine, and a simulation can bring its own, whose
// processes are adapters of one program.
//
//	the machine, and the system's  machine.go
//	the handshake                  hello.go
//	a simulated one                simulation.go
//	for simulations                sys_linux.go other.go
//
// A line of code in this package may touch names and sockets. It knows no connection, but for what a simulation watches
// of it. Of the software adapter, the package imports packages core, hostport and rawmem.
package neighbour
