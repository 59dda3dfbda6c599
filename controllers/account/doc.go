// Package account limits how many objects of one cloud account are reconciled at once. So an account whose cloud does
// not answer can't occupy all workers.
//
// Each account has a limiter with slots and a queue. The queue has priorities. A requester in the queue holds no
// worker: it is woken once a slot is reserved for it.
//
// The package knows nothing of provider configs and connections. A Source is whatever leads to an account, by name.
// Several sources that lead to the same account share its limiter.
package account
