// Package account limits how many objects of one cloud account are reconciled at once, so that an account whose cloud does not
// answer can't take all workers. Each account has a limiter with slots and a queue. The queue has priorities, and nobody in it
// holds a worker: a requester is woken once a slot is reserved for it.
//
// The package knows nothing of provider configs and connections. A Source is whatever leads to an account, by name; several
// sources that lead to the same account share its limiter.
package account
