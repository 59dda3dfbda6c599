package localcloud

import (
	"reflect"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"
)

// An rdsParameter is a parameter that has one name in CreateDBInstance, in ModifyDBInstance and in what RDS reports of an instance, that
// depends on no other, and that RDS changes at once.
type rdsParameter struct {
	name string
	// standard is the value of an instance that was created without the parameter.
	standard any
	// other is the one other value that there is; nil where a bool is either, or any value is taken.
	other any
}

// rdsParameters are taken by the creation and by changes, and reported, for no other reason than that they are named here.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBInstance.html
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBInstance.html
var rdsParameters = []rdsParameter{
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
	for _, p := range rdsParameters {
		names = append(names, p.name)
	}
	return slices.Clip(names)
}

// lifecycle is the parameter that MariaDB does not have.
const lifecycle = "EngineLifecycleSupport"

// checkParameters refuses values that there are not, for an instance of an engine.
func checkParameters(engine string, call any) error {
	asked := reflect.ValueOf(call).Elem()
	for _, p := range rdsParameters {
		value := asked.FieldByName(p.name)
		if p.other == nil || value.IsNil() {
			continue
		}
		if p.name == lifecycle && engine == "mariadb" {
			return invalidCombination("You can't specify %s for engine %s.", p.name, engine)
		}
		if v := value.Elem().Interface(); v != p.standard && v != p.other {
			return invalidValue("Invalid value %v for the parameter %s", v, p.name)
		}
	}
	return nil
}

// SetParameters gives an instance what a call asks for. A new one has the standard of the others.
func setParameters(db *rdstypes.DBInstance, call any, created bool) {
	asked, have := reflect.ValueOf(call).Elem(), reflect.ValueOf(db).Elem()
	for _, p := range rdsParameters {
		switch value := asked.FieldByName(p.name); {
		case p.name == lifecycle && aws.ToString(db.Engine) == "mariadb":
		case !value.IsNil():
			have.FieldByName(p.name).Set(value)
		case created:
			standard := reflect.New(reflect.TypeOf(p.standard))
			standard.Elem().Set(reflect.ValueOf(p.standard))
			have.FieldByName(p.name).Set(standard)
		}
	}
}
