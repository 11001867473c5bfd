// Package hostport splits, joins and recognizes addresses: host:service. It imports no other
// package of the software adapter.
package hostport
