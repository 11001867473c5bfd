package main

// #cgo CFLAGS: -std=gnu11 -O2 -Wall -Wextra -fvisibility=hidden
// #cgo LDFLAGS: -ldl
import "C"
