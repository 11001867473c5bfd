package neighbour

// A Simulation is a machine that also watches the descriptors of its processes. No goroutine of an adapter does, and no
// consumer sleeps at one.
type Simulation interface {
	Machine
	// Watch watches the descriptors of a connection until Unwatch. sock is the socket that it was made with.
	Watch(w Watched, sock Socket)
	Unwatch(w Watched)
	// Stirred is called when a descriptor of another process may have become readable.
	Stirred()
}

// Watched is a connection that a simulation watches. No method blocks.
type Watched interface {
	// Pending reports whether the doorbell has rung, and whether something has come on the socket, or its end. Only
	// while it is watched.
	Pending() (rung, told, ended bool)
	// Rung handles the doorbell, and Told the socket.
	Rung()
	Told(ended bool)
	// Die makes the connection behave as the end of a process that has died: the peer learns of that from the system
	// alone.
	Die()
}
