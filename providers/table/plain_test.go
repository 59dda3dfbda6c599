package table_test

import (
	"testing"

	"github.com/mooring-dev/mooring/providers/table"
)

type plainInner struct {
	Size *int32 `json:"size,omitempty"`
}

type plainSpec struct {
	Name  *string     `json:"name,omitempty"`
	Inner *plainInner `json:"inner,omitempty"`
}

type plainParams struct {
	Name string
	Size *int64
}

// A plain row is one that getters and setters written by hand would make.
func TestPlain(t *testing.T) {
	rows := table.Table[plainSpec, plainInner, plainParams]{
		table.Plain[plainSpec, plainParams]("name", "Name", func(*plainInner) *string { return nil }),
		table.Plain[plainSpec, plainParams]("inner.size", "Size", func(h *plainInner) *int32 { return h.Size }),
	}
	for name, tt := range map[string]struct {
		spec    plainSpec
		changes int
		size    int64
	}{
		"nothing on the way": {spec: plainSpec{}},
		"nothing there":      {spec: plainSpec{Inner: &plainInner{}}},
		"as it is":           {spec: plainSpec{Inner: &plainInner{Size: new(int32(3))}}, size: 3},
		"another value":      {spec: plainSpec{Name: new("a"), Inner: &plainInner{Size: new(int32(4))}}, changes: 2, size: 4},
	} {
		t.Run(name, func(t *testing.T) {
			if got := rows.Diff(&tt.spec, &plainInner{Size: new(int32(3))}, nil, func(string) bool { return false }); len(got) != tt.changes {
				t.Errorf("changes %v, want %d", got, tt.changes)
			}
			var params plainParams
			if err := rows.Fill(&tt.spec, &params); err != nil {
				t.Fatal(err)
			}
			if tt.spec.Name != nil && params.Name != *tt.spec.Name || (params.Size != nil) != (tt.size != 0) || params.Size != nil && *params.Size != tt.size {
				t.Errorf("parameters %+v", params)
			}
		})
	}
}

// A path or a parameter that is not there is found out when the table is made.
func TestPlainOfNothing(t *testing.T) {
	for name, row := range map[string]func(){
		"no such path": func() {
			table.Plain[plainSpec, plainParams]("inner.name", "Name", func(*plainInner) *string { return nil })
		},
		"another type":      func() { table.Plain[plainSpec, plainParams]("name", "Size", func(*plainInner) *int32 { return nil }) },
		"no such parameter": func() { table.Plain[plainSpec, plainParams]("name", "Nome", func(*plainInner) *string { return nil }) },
		"not its type":      func() { table.Plain[plainSpec, plainParams]("name", "Size", func(*plainInner) *string { return nil }) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("it was made")
				}
			}()
			row()
		})
	}
}
