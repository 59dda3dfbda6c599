package engine

import (
	"errors"
	"io/fs"
	"os"
)

// memoryFolder is where Linux has a file system in memory for everybody.
const memoryFolder = "/dev/shm"

// scratchRoom is how much the file system in memory, and the memory itself, must have to spare. A server takes 30 to 60 MB.
const scratchRoom = 4 << 30

// Scratch makes a temporary folder for data that are gone with the cloud. A database server is a thousand small files: on a disk, making them costs more processor time than all that
// tests do with the server, so they are in memory where there is plenty of it. TMPDIR is for a person to say otherwise.
func Scratch(pattern string) (string, error) {
	if os.Getenv("TMPDIR") == "" && roomIn(memoryFolder) >= scratchRoom {
		dir, err := os.MkdirTemp(memoryFolder, pattern)
		if err == nil || !errors.Is(err, fs.ErrPermission) {
			return dir, err
		}
	}
	return os.MkdirTemp("", pattern)
}
