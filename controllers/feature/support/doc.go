// Package support shows in the status of an object until when its cloud supports what the object runs on: the version of the engine, and the certificate of the server.
package support
