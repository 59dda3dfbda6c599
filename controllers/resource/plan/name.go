package plan

import (
	"crypto/sha256"
	"encoding/base32"
	"regexp"
	"strings"
)

// hashLength is the length of a name's hash: 10 characters of base 32 are 50 bits.
const hashLength = 10

var hyphens = regexp.MustCompile(`-{2,}`)

// ExternalName returns the name in the cloud of an object for which none was chosen:
// <namespace>-<name>-<hash>, where the hash is of cluster id, namespace and name, cut to maxLength. The
// same object always gets the same name, so that it is found again after anything short of another
// cluster id. The algorithm is frozen: to change it is to lose every object made before.
func ExternalName(clusterID, namespace, name string, maxLength int) string {
	sum := sha256.Sum256([]byte(clusterID + "\x00" + namespace + "\x00" + name))
	hash := strings.ToLower(base32.HexEncoding.EncodeToString(sum[:])[:hashLength])
	readable := hyphens.ReplaceAllString(namespace+"-"+name, "-")
	if readable[0] < 'a' || readable[0] > 'z' {
		readable = "m" + readable // some clouds want a letter first
	}
	if room := maxLength - hashLength - 1; len(readable) > room {
		readable = readable[:room]
	}
	return strings.TrimRight(readable, "-") + "-" + hash
}

// ScopedName returns the name of an object as ExternalName does, in the form that ends in a suffix. It is frozen, too. Where the suffix leaves no room, the name is longer
// than maxLength, and the cloud's own rule refuses it.
func ScopedName(clusterID, namespace, name string, maxLength int, suffix string) string {
	return ExternalName(clusterID, namespace, name, max(maxLength-len(suffix), shortestName)) + suffix
}

// shortestName has room for a letter, a hyphen and the hash.
const shortestName = 1 + 1 + hashLength

// IsNameOfOthers reports whether a name that somebody chose for an object in a namespace is one that Mooring makes for an object of another namespace of the
// cluster, so that whoever creates that one later finds its name taken. Of a name that was cut nobody can tell for which object it was made: it is others'
// unless it begins with the namespace. Names of objects with two hyphens in a row are not recognised, because of those the name in the cloud has one.
func IsNameOfOthers(clusterID, namespace, chosen string, maxLength int) bool {
	end := len(chosen) - hashLength - 1
	if end < 3 || !generatedHash.MatchString(chosen[end:]) {
		return false
	}
	if end >= maxLength-hashLength-2 && strings.ContainsAny(chosen[end:], "0123456789") {
		return !strings.HasPrefix(chosen, namespace+"-") && !strings.HasPrefix(chosen, "m"+namespace+"-")
	}
	for _, readable := range []string{chosen[:end], strings.TrimPrefix(chosen[:end], "m")} {
		for i := range len(readable) {
			if readable[i] == '-' && i > 0 && readable[:i] != namespace && ExternalName(clusterID, readable[:i], readable[i+1:], maxLength) == chosen {
				return true
			}
		}
	}
	return false
}

// IsScopedNameOfOthers is IsNameOfOthers for names in the form that ends in a suffix.
func IsScopedNameOfOthers(clusterID, namespace, chosen string, maxLength int, suffix string) bool {
	name, scoped := strings.CutSuffix(chosen, suffix)
	return scoped && IsNameOfOthers(clusterID, namespace, name, max(maxLength-len(suffix), shortestName))
}

// generatedHash is what a generated name ends in.
var generatedHash = regexp.MustCompile(`^-[0-9a-v]{10}$`)

// SnapshotName returns the name of the final snapshot of an object with that uid.
func SnapshotName(externalName, uid string) string {
	short := strings.ReplaceAll(uid, "-", "")
	if len(short) > 8 {
		short = short[:8]
	}
	return externalName + "-final-" + short
}
