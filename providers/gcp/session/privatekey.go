package session

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
)

// Bounds of a tenant's RSA key. Google makes keys of 2048 bits. To parse or use a key takes time that grows with the cube of
// its length, without a deadline: a key of 65,536 bits keeps a processor busy for minutes.
const (
	leastKeyBits = 2048
	mostKeyBits  = 8192
	// mostKeyText is more than a key of mostKeyBits takes as text, in bytes.
	mostKeyText = 16 << 10
)

var errUnreadableKey = errors.New("can't be read")

// checkPrivateKey returns why the text is not a private key to use; its length is judged before anything is computed with it.
// The errors show nothing of the key.
func checkPrivateKey(text string) error {
	if len(text) > mostKeyText {
		return errors.New("is too long for an RSA key of 2048 to 8192 bits")
	}
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return errUnreadableKey
	}
	// What reads the key for use tries the same two forms, in the same order.
	pkcs1 := block.Bytes
	var wrapped pkcs8Key
	isPKCS8 := unmarshal(block.Bytes, &wrapped)
	if isPKCS8 {
		pkcs1 = wrapped.PrivateKey
	}
	var numbers pkcs1Key
	if !unmarshal(pkcs1, &numbers) || numbers.N == nil {
		return errUnreadableKey
	}
	if bits := numbers.N.BitLen(); bits < leastKeyBits || bits > mostKeyBits {
		return fmt.Errorf("is an RSA key of %d bits, and only 2048 to 8192 are accepted", bits)
	}
	if numbers.longest() > mostKeyBits {
		return fmt.Errorf("has a number of more than %d bits, which no usable key has", mostKeyBits)
	}
	if !isPKCS8 {
		_, err := x509.ParsePKCS1PrivateKey(pkcs1)
		return unreadable(err)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if _, ok := key.(*rsa.PrivateKey); err == nil && !ok {
		return errUnreadableKey
	}
	return unreadable(err)
}

func unreadable(err error) error {
	if err != nil { // it might show a piece of the key
		return errUnreadableKey
	}
	return nil
}

// pkcs8Key is the beginning of a private key in PKCS #8 (RFC 5208).
type pkcs8Key struct {
	Version    int
	Algorithm  asn1.RawValue
	PrivateKey []byte
	Attributes asn1.RawValue `asn1:"optional"`
}

// pkcs1Key is an RSA private key of two primes in PKCS #1 (RFC 8017). Keys of more primes are refused: nobody makes them.
type pkcs1Key struct {
	Version          int
	N, E, D, P, Q    *big.Int
	Dp, Dq, Qinverse *big.Int
}

// longest is the length in bits of the longest number.
func (k *pkcs1Key) longest() (bits int) {
	for _, n := range []*big.Int{k.N, k.E, k.D, k.P, k.Q, k.Dp, k.Dq, k.Qinverse} {
		bits = max(bits, n.BitLen())
	}
	return bits
}

func unmarshal(der []byte, into any) bool {
	rest, err := asn1.Unmarshal(der, into)
	return err == nil && len(rest) == 0
}
