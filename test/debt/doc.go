// Package debt keeps figures that only fall: of rules that the code does not keep everywhere yet. A test measures, and a file
// beside it has a line for each name that is over the rule: the name, its figure, and the reason.
//
// A figure that rises fails the test, and so does one that fell without being recorded: the test's flag -update lowers it
// then, and removes what is paid. Nothing adds a line or raises one. What a rule measures and says is the test's own.
package debt
