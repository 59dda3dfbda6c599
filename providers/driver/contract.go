package driver

import "fmt"

// ContractVersion is the version of the contract: of the messages of this package, of their numeric values, and of the
// methods of Driver, Session and Host. Raise it with every change of these. A test compares them with the recording for
// this version.
const ContractVersion = 29

// CheckContract returns an error with the code Invalid if the driver was built for another version of the contract.
// Such a driver must not be used: fields of another version are dropped silently, and numbers may have another meaning.
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
