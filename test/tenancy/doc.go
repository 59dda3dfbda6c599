// Package tenancy tries to get out of a namespace. A tenant who may do there all that an administrator of a namespace may,
// the verbs of consent included, points every reference of every kind at another tenant's Secrets, accounts, classes and
// cloud objects. Each attempt has to be refused when it is applied, or by the controller, which runs with the rights that it
// is installed with; and the API server's audit log has to show that no Secret was read for it.
package tenancy
