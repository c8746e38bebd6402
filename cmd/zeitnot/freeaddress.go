package main

import (
	"net"
	"os"
)

// freeAddress is an address on the loopback that nobody listens on. Where all of 127.0.0.0/8 is
// the loopback it is one of this process alone, so that nobody who is given a port takes it
// before it is used.
func freeAddress() (string, error) {
	pid := os.Getpid()
	own := net.IPv4(127, byte(1+pid>>16%250), byte(pid>>8), byte(1+pid%250))
	l, err := net.Listen("tcp", net.JoinHostPort(own.String(), "0"))
	if err != nil {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
