package sql

import (
	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// tlsRow is gcp.sslMode in the words of all clouds. It comes before that: where a class sets one and an object the other, and both mean the
// same, the mode is what is sent.
var tlsRow = table.Field("tls",
	func(p *databaseParameters) *v1alpha1.TLS { return p.TLS },
	haveTLS,
	func(p *instanceParams, v v1alpha1.TLS) { p.SslMode = modeOf(v) }).
	Equal(func(want, have v1alpha1.TLS) bool { return want == have }, "a mode that also demands client certificates is Required").
	EffectOf(func(from *v1alpha1.TLS, to v1alpha1.TLS, have *instance) (driver.Effect, string) {
		var before *string
		if from != nil {
			before = modeOf(*from)
		}
		return sslModeEffect(before, *modeOf(to), have)
	},
		driver.PossibleEffect{Effect: driver.Online, When: "it becomes Optional"},
		driver.PossibleEffect{Effect: driver.Interrupts, When: "it becomes Required on PostgreSQL: clients without TLS are refused at their next connection", Cost: tlsCost},
		driver.PossibleEffect{Effect: driver.Restarts, When: "it becomes Required on MySQL", Cost: strictTLSCost}).
	StandsFor("gcp.sslMode", map[string][]string{
		string(v1alpha1.TLSOptional): {encryptedOrNot},
		string(v1alpha1.TLSRequired): {encryptedOnly, trustedClientsOnly},
	})

// modeOf returns the mode that stands for it.
func modeOf(v v1alpha1.TLS) *string {
	if v == v1alpha1.TLSOptional {
		return new(encryptedOrNot)
	}
	return new(encryptedOnly)
}

func haveTLS(i *instance) *v1alpha1.TLS { return tlsOf(haveSSLMode(i)) }

// tlsOf says a mode in the words of all clouds; nil if there is none.
func tlsOf(mode *string) *v1alpha1.TLS {
	switch {
	case mode == nil:
		return nil
	case *mode == encryptedOrNot:
		return new(v1alpha1.TLSOptional)
	}
	return new(v1alpha1.TLSRequired)
}

// checkTLS refuses two fields that contradict each other, as where a class sets one of them: each would undo the other for ever.
func checkTLS(spec *databaseParameters) error {
	mode := gcpOf(spec).SSLMode
	if spec.TLS == nil || mode == nil || *tlsOf(mode) == *spec.TLS {
		return nil
	}
	return table.Fields{"tls", "gcp.sslMode"}.Refuse("spec.tls %s and spec.gcp.sslMode %s contradict each other: remove one of them from the spec or the class", *spec.TLS, *mode)
}
