package drivertest

import (
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

// describedPasswords checks that passwords are set which the description allows, and that it does not allow any that the cloud refuses.
func describedPasswords[S any](t testing.TB, b *bench[S]) {
	req := b.request(t, b.kind.Minimal())
	b.create(t, &req)
	rule, err := b.described(t).Password(driver.NewSpec(&req.Spec))
	if err != nil {
		t.Fatal(err)
	}
	for _, password := range allowed(rule) {
		if why := rule.Check(password); why != "" {
			t.Fatalf("the suite chose a password of %d bytes, and %s", len(password), why)
		}
		req.Login.Password = password
		b.changePassword(t, &req, driver.SetPassword)
		seen := req
		seen.Login = b.kind.Login // a password of one letter is in each observation
		unchanged(t, b.observe(t, seen))
		if b.kind.Cloud.Password != nil && b.kind.Cloud.Password(t, req.Name) != password {
			t.Errorf("a password of %d bytes that the description allows was not set", len(password))
		}
	}
	last := req.Login.Password
	for i, password := range b.kind.RefusedPasswords {
		if rule.Check(password) == "" {
			t.Errorf("the description allows RefusedPasswords[%d], of %d bytes: the cloud refuses it", i, len(password))
		}
		refused := req
		refused.Login.Password = password
		result, err := b.open(t).Update(t.Context(), refused, driver.Edit{Password: driver.SetPassword})
		err = passwordFailed(result, err)
		if err == nil || driver.CodeOf(err) != driver.Invalid {
			t.Errorf("RefusedPasswords[%d], of %d bytes: got error %v, want code Invalid", i, len(password), err)
		}
		noSecrets(t, err, []string{password})
		b.Finish(t)
		if b.kind.Cloud.Password != nil && b.kind.Cloud.Password(t, req.Name) != last {
			t.Errorf("RefusedPasswords[%d], of %d bytes, replaced the password that was set", i, len(password))
		}
	}
}

// allowed returns passwords at the limits of a rule: the shortest, the longest, and some that hold each character that is not excluded.
func allowed(rule driver.PasswordRule) (passwords []string) {
	var all strings.Builder
	for c := ' '; c <= '~'; c++ {
		if !strings.ContainsRune(rule.Excluded, c) {
			all.WriteRune(c)
		}
	}
	least, most := max(rule.MinLength, 1), rule.MaxLength
	if most == 0 {
		most = all.Len()
	}
	for rest := all.String(); rest != ""; {
		n := min(most, len(rest))
		passwords = append(passwords, rest[:n]+strings.Repeat("a", max(0, least-n)))
		rest = rest[n:]
	}
	passwords = append(passwords, strings.Repeat("b", least), strings.Repeat("c", most))
	if beyond := "ü"; !rule.ASCII && most >= least+len(beyond) {
		passwords = append(passwords, beyond+strings.Repeat("d", least))
	}
	return passwords
}
