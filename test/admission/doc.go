// Package admission holds what the API server asks before it stores Mooring's objects to what it promises, against a
// real API server: who may consent to what, and that the webhook is a courtesy, which never stands in the way of a
// deletion or of status.
package admission
