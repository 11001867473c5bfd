//go:build !race

package stream

func raceSendSocket() {}

func raceRecvSocket(int) {}
