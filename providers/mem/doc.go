// Package mem is the reference driver: a cloud in memory with the manners of real ones. It shows what
// the contract in package driver asks for, and is the fake that tests of controllers use.
//
//	cloud := mem.New(mem.Options{Now: clock.Now, CreateFor: 5 * time.Minute})
//	conn, err := cloud.Driver().Open(ctx, mem.Config("111111111111", "eu-central-1"))
//	cloud.Fail(mem.Fault{Filter: mem.Filter{Op: mem.OpObserve}, Kind: mem.Refused, Code: driver.Denied})
//	mem.Buckets(cloud).Edit("111111111111", "logs", func(b *mem.Bucket) { b.Labels["team"] = "another" })
//	cloud.Count(mem.Filter{Access: mem.Writes})
//
// Buckets are there and gone at once, and share one space of names with every other account. Databases take
// the time that Options say, by the injected clock: nothing runs in the background, states are worked out
// when somebody looks. Each method of the contract is one call in the ledger; a look for a final
// snapshot is a second one.
package mem
