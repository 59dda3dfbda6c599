package table

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"syscall"
)

// NoConnection describes why a request got no response. Unlike the text of the error, the description is the same at
// each attempt: it has no port numbers.
func NoConnection(err error) string {
	to := "the cloud"
	if request, ok := errors.AsType[*url.Error](err); ok {
		if u, err := url.Parse(request.URL); err == nil && u.Host != "" {
			to = u.Host
		}
	}
	if way, ok := errors.AsType[*net.OpError](err); ok && way.Op == "proxyconnect" {
		to = "the proxy"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return fmt.Sprintf("the certificate of %s is not trusted; if a proxy intercepts TLS, give Mooring the proxy's certificate authority", to)
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Sprintf("%s refuses the connection: nothing answers at that address and port", to)
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return fmt.Sprintf("%s can't be reached: a network policy or a firewall may block the connection", to)
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Sprintf("the connection to %s broke before an answer arrived", to)
	default:
		return fmt.Sprintf("no connection to %s", to)
	}
}
