// Package keynumber draws the numbers that keys of memory are made of: at random, so that known keys tell nothing
// about others.
//
// A line of code in this package may touch the source of random numbers, and imports no other package of the module.
package keynumber
