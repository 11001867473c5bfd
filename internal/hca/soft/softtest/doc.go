// Package softtest has what tests of the software adapter's packages have in common: two
// connected ends, an end whose peer is the test, and memory whose pages can be taken away.
package softtest
