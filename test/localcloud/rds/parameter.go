package rds

import (
	"reflect"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"
)

// An Parameter is a parameter that has one name in CreateDBInstance, in ModifyDBInstance and in what RDS reports of an instance, that
// depends on no other, and that RDS changes at once.
type Parameter struct {
	Name string
	// Standard is the value of an instance that was created without the parameter.
	Standard any
	// Other is the one other value that there is; nil where a bool is either, or any value is taken.
	Other any
}

// Parameters are taken by the creation and by changes, and reported, for no other reason than that they are named here.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBInstance.html
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBInstance.html
var Parameters = []Parameter{
	{"AutoMinorVersionUpgrade", true, nil},
	{"CopyTagsToSnapshot", false, nil},
	{"DeletionProtection", false, nil},
	// No recording shows EngineLifecycleSupport: RDS enrols what does not say otherwise, as the reference of the calls says. It "applies only to RDS for MySQL
	// and RDS for PostgreSQL", so that MariaDB takes none here, and reports none.
	{lifecycle, "open-source-rds-extended-support", "open-source-rds-extended-support-disabled"},
	{"PubliclyAccessible", false, nil},
}

// withParameters adds the names of the parameters to those that a call takes besides.
func withParameters(names ...string) []string {
	for _, p := range Parameters {
		names = append(names, p.Name)
	}
	return slices.Clip(names)
}

// lifecycle is the parameter that MariaDB does not have.
const lifecycle = "EngineLifecycleSupport"

// checkParameters refuses values that there are not, for an instance of an engine.
func checkParameters(engine string, call any) error {
	asked := reflect.ValueOf(call).Elem()
	for _, p := range Parameters {
		value := asked.FieldByName(p.Name)
		if p.Other == nil || value.IsNil() {
			continue
		}
		if p.Name == lifecycle && engine == "mariadb" {
			return invalidCombination("You can't specify %s for engine %s.", p.Name, engine)
		}
		if v := value.Elem().Interface(); v != p.Standard && v != p.Other {
			return invalidValue("Invalid value %v for the parameter %s", v, p.Name)
		}
	}
	return nil
}

// SetParameters gives an instance what a call asks for. A new one has the standard of the others.
func setParameters(db *rdstypes.DBInstance, call any, created bool) {
	asked, have := reflect.ValueOf(call).Elem(), reflect.ValueOf(db).Elem()
	for _, p := range Parameters {
		switch value := asked.FieldByName(p.Name); {
		case p.Name == lifecycle && aws.ToString(db.Engine) == "mariadb":
		case !value.IsNil():
			have.FieldByName(p.Name).Set(value)
		case created:
			standard := reflect.New(reflect.TypeOf(p.Standard))
			standard.Elem().Set(reflect.ValueOf(p.Standard))
			have.FieldByName(p.Name).Set(standard)
		}
	}
}
