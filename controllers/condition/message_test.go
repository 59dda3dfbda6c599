package condition

import (
	"strings"
	"testing"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// No message is longer than the API server stores, whatever it was made of, and each state of an object can be written.
func TestNoConditionIsTooLongToBeStored(t *testing.T) {
	const stored = 32_768 // metav1.Condition
	for state := range table {
		for name, text := range map[string]string{"words": strings.Repeat("wörds ", stored) + "; remove it", "no space": strings.Repeat("ä", 2*stored) + "; remove it"} {
			var conditions []metav1.Condition
			available := false
			Set(&conditions, Update{State: state, Reason: v1alpha1.ReasonInvalid, Message: text, Available: &available})
			for _, c := range conditions {
				if n := utf8.RuneCountInString(c.Message); n > stored || len(c.Message) > LongestMessage || !utf8.ValidString(c.Message) {
					t.Errorf("%s, %s: %s has %d characters", state, name, c.Type, n)
				}
				if c.Type == v1alpha1.ConditionStalled && !strings.HasSuffix(c.Message, "; remove it") {
					t.Errorf("%s, %s: %s lost what to do: %.50s", state, name, c.Type, c.Message)
				}
			}
		}
	}
}
