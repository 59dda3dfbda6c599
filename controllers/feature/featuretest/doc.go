// Package featuretest has what tests of features share: a reconciliation while its action is carried out, without the loop.
package featuretest
