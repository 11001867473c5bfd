// Package fencetest runs two sides of a protocol at the same moment, again and again,
// each on a processor of its own, for what no walk of steps can find: a load that the
// processor has done before an earlier store.
package fencetest
