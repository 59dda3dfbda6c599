// Package preview says in advance what an edit, a creation or a deletion of an object does, as values. Report.Lines puts them into lines for a person. It merges
// class and spec, takes what was last observed for what the cloud has, and gives both to the plan that the reconciler follows. It reads from
// a cache, calls no cloud and writes nothing.
package preview
