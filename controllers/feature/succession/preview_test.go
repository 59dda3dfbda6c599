package succession_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature/succession"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/preview"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/mem"
)

// Where another server takes the place of this one, the preview of an upgrade says so, and the cost of an upgrade in place is not announced beside that.
func TestPreviewOfAnUpgrade(t *testing.T) {
	at := time.Unix(100, 0)
	p := &preview.Preview{
		Kind: kind.Database(), Drivers: map[string]driver.Driver{"aws": beside{mem.New(mem.Options{}).Driver()}}, Features: succession.Of(kind.Database()),
		Observed: func(client.ObjectKey) (time.Time, bool) { return at, true }, Now: func() time.Time { return at },
	}
	old := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders", UID: "uid-1", Generation: 1, Finalizers: []string{v1alpha1.FinalizerResource}}}
	old.Spec.ProviderConfigRef, old.Spec.Updates = &v1alpha1.ProviderConfigReference{Name: "team"}, &v1alpha1.Updates{Strategy: v1alpha1.StrategyBlueGreen}
	old.Spec.DatabaseParameters = v1alpha1.DatabaseParameters{Engine: new(v1alpha1.EnginePostgres), Version: new("16")}
	old.Status.Provider, old.Status.ExternalName, old.Status.AppliedGeneration = "aws", "shop-orders-1", 1
	old.Status.FirstReadyTime, old.Status.Observed = &metav1.Time{Time: at}, old.Spec.DatabaseParameters.DeepCopy()
	for name, inPlace := range map[string]bool{"beside": false, "in place": true} {
		d := old.DeepCopy()
		if d.Spec.Version = new("17"); inPlace {
			d.Spec.Updates.Strategy = v1alpha1.StrategyInPlace
		}
		d.Generation++
		report, err := p.Edit(t.Context(), old, d)
		text := strings.Join(report.Lines(), "\n")
		if err != nil || !strings.Contains(text, "version 16 -> 17") || strings.Contains(text, "when the server that the cloud prepares takes over") == inPlace {
			t.Errorf("%s: %q, %v", name, text, err)
		}
		if strings.Contains(text, "costs as much as the first") == inPlace {
			t.Errorf("%s: %q", name, text)
		}
	}
}

// A beside is a driver of a cloud that can put another server in the place of one.
type beside struct{ driver.Driver }

func (b beside) Describe() driver.Description {
	d := b.Driver.Describe()
	for i := range d.Resources {
		d.Resources[i].Capabilities.Beside, d.Resources[i].Lacks = true, nil
	}
	return d
}
