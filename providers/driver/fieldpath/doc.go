// Package fieldpath finds the leaves of a spec, and reads and sets them by their dotted paths, such as storage.sizeGiB. Descriptions and
// field tables name fields by these paths. It works on any Go struct by its JSON names, and knows no message of the contract.
package fieldpath
