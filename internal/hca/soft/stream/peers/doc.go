// Package peers holds tests of the software adapter's stream path against peers that the tests play byte by
// byte over a real TCP socket: what they send is scripted, what they receive is decoded with package iwarp.
//
// The peers do everything that a hostile, broken or merely different peer can do. For each row of the list of
// malformed input the tests check the reaction on the wire, how the endpoint ends, that every posted request
// completes exactly once, that no byte outside of what was granted changes, and that a second connection of the
// same adapter does not notice. The table of rows is in table_test.go.
package peers
