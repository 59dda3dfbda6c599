// Package lease keeps what runs out: sessions and access tokens of a cloud. A Keeper fetches the next one in the
// background, minutes before the last runs out, so that calls neither wait for a renewal nor fail with one. What was refused is
// dropped, and the next call fetches another.
//
//	keeper := lease.New(time.Now, func(ctx context.Context) (Token, time.Time, error) { ... })
//	current, err := keeper.Get(ctx)
//	... the cloud refuses current.Value ...
//	keeper.Drop(current)
//
// Nothing runs between calls: a Keeper that nobody asks any more needs no closing.
package lease
