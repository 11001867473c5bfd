// Package softtest holds what the tests of the software adapter's packages share: two connected ends, an end
// whose peer is the test, and memory whose pages can be taken away.
package softtest
