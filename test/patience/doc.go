// Package patience limits how long tests wait. A test waits for what has to come true, and not for a time: its limit is there for what hangs, and
// ends the test with what it waited for. The limit counts relative time: on a machine where five processes want each processor, a wait may last five
// times as long as on a quiet one, so a limit that finds what hangs within minutes fails no test that is only slow.
package patience
