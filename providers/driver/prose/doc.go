// Package prose shapes the texts that people read: conditions, Events, lines of the log, answers of admission and errors of drivers.
// It keeps each text in one line, of a bounded length, and without characters that steer a terminal. It knows no message of the contract.
package prose
