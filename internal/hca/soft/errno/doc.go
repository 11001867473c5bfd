// Package errno has the errors of sockets by their names on this system. It imports nothing of the module.
package errno
