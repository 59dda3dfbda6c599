package kind

import "testing"

// What outlives its parent holds up nothing there: the parent neither watches it nor waits for it.
func TestFamilyOfWhatOutlivesItsParent(t *testing.T) {
	all := All()
	for _, k := range all {
		f := FamilyOf(k, all)
		switch k.Name {
		case "Database":
			if len(f.Children) > 0 {
				t.Errorf("a Database has the children %v", f.Children)
			}
		case "DatabaseSnapshot":
			if f.Parent == nil || f.Parent.Name != "Database" {
				t.Errorf("the parent of a DatabaseSnapshot is %v", f.Parent)
			}
		}
	}
}
