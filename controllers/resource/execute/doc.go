// Package execute does what the plan decided. So far it has the Publisher, which keeps connection Secrets.
package execute
