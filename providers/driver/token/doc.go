// Package token caches what runs out: sessions and access tokens of a cloud. A Source fetches the next one in the
// background, minutes before the last runs out, so that calls neither wait for a renewal nor fail with one. What was refused is
// dropped, and the next call fetches another.
//
//	source := token.New(time.Now, func(ctx context.Context) (Token, time.Time, error) { ... })
//	current, err := source.Get(ctx)
//	... the cloud refuses current.Value ...
//	source.Drop(current)
//
// Nothing runs between calls: a Source that nobody asks any more needs no closing.
package token
