// Package action does to an object what people ask for by annotations: a restart, a failover, another password. Each value of an annotation is done at most once.
//
// request.go says what is asked for, plan.go what becomes of it, and operate.go does it: it stores the request first, so that a crash or a lost answer never has it done
// twice. What came of an action stands in the status and in an Event.
package action
