package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a class enforces, and its sizes, have the first sentence of what the defaults describe. Other descriptions stay, and so does what is
// generated already.
func TestShorten(t *testing.T) {
	const before = `---
spec:
  versions:
  - schema:
      openAPIV3Schema:
        properties:
          spec:
            properties:
              defaults:
                description: defaults apply. Always.
                properties:
                  aws:
                    properties:
                      port:
                        description: |-
                          port is a number, for example db.5432. If
                          unset, it is another.
                        maximum: 65535
                        type: integer
              enforced:
                description: enforced applies. Always.
                properties:
                  aws:
                    properties:
                      port:
                        description: |-
                          port is a number, for example db.5432. If
                          unset, it is another.
                        maximum: 65535
                        type: integer
              sizes:
                items:
                  properties:
                    aws:
                      description: aws is a block. It is of sizes alone.
                      properties:
                        port:
                          description: |-
                            port is a number, for example db.5432. If
                            unset, it is another.
`
	const want = `---
spec:
  versions:
  - schema:
      openAPIV3Schema:
        properties:
          spec:
            properties:
              defaults:
                description: defaults apply. Always.
                properties:
                  aws:
                    properties:
                      port:
                        description: |-
                          port is a number, for example db.5432. If
                          unset, it is another.
                        maximum: 65535
                        type: integer
              enforced:
                description: enforced applies. Always.
                properties:
                  aws:
                    properties:
                      port:
                        description: port is a number, for example db.5432.
                        maximum: 65535
                        type: integer
              sizes:
                items:
                  properties:
                    aws:
                      description: aws is a block. It is of sizes alone.
                      properties:
                        port:
                          description: port is a number, for example db.5432.
`
	text := []byte(before)
	for range 2 {
		short, err := shorten(text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(short)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		text = short
	}
	if _, err := shorten([]byte("spec: {}")); err == nil {
		t.Error("a definition without versions is shortened")
	}
}
