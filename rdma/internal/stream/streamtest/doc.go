// Package streamtest is what the tests of the stream protocols share: adapters to run on, and two
// connected ends.
package streamtest
