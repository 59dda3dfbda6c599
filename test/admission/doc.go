// Package admission holds what the API server asks before it stores objects to what it promises, against a real API
// server: the policies in config/admission, what they refuse to whom and what they warn about, and that they leave everybody else alone; and the
// webhook, which is a courtesy and never stands in the way of a deletion or of status.
package admission
