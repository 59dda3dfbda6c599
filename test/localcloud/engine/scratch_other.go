//go:build !linux

package engine

func roomIn(string) uint64 { return 0 }
