package driver

import "fmt"

// ContractVersion is the version of the contract: of the messages of this package, of the numbers in them, and of the
// methods of Driver, Session and Host. Raise it with every change of those. A test compares them with what was recorded
// for the version, and fails if they differ.
const ContractVersion = 29

// CheckContract returns an error with the code Invalid if the driver was built for another version of the contract than this program.
// It must not be used then: a field of another version is lost without a word, and its numbers may mean something else.
func (d *Description) CheckContract() error {
	var remedy string
	switch {
	case d.Contract == ContractVersion:
		return nil
	case d.Contract > ContractVersion:
		remedy = fmt.Sprintf("upgrade Mooring to a release with version %d, or install a release of the driver for version %d", d.Contract, ContractVersion)
	case d.Contract == 0:
		remedy = fmt.Sprintf("install a release of the driver for version %d; who builds the driver sets Contract: driver.ContractVersion in its description", ContractVersion)
	default:
		remedy = fmt.Sprintf("install a release of the driver for version %d", ContractVersion)
	}
	return &Error{Code: Invalid, Message: fmt.Sprintf("driver %q was built for version %d of the driver contract, and this release of Mooring has version %d: %s",
		d.Name, d.Contract, ContractVersion, remedy)}
}
