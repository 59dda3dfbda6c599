package rds

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
)

// Limits are what an account may have of RDS in each region. Zero fields change nothing.
type Limits struct {
	Instances, StorageGiB int // -1 is no instance at all
	// NoCapacity are instance classes for which AWS has no machines.
	NoCapacity []string
	// FoundLate: RDS accepts a creation, and then finds no machine for it.
	FoundLate bool
}

// checkQuota counts the instances of the account in the region, those being deleted among them, with another instance or a disk that grows by so many GiB.
// No recording shows the refusals.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBInstance.html (Errors)
func (c *call) checkQuota(another bool, grows int32) error {
	count, total := 0, int(grows)
	for _, p := range own(c, c.instances) {
		if p.Now != nil {
			count++
			total += int(*p.Now.db.AllocatedStorage)
		}
	}
	usual, limits := c.cloud.Options.InstanceQuota, c.limits[c.caller.Account]
	instances, storage := c.instanceQuota(), cmp.Or(limits.StorageGiB, rdsStorageQuota)
	switch {
	case another && (instances >= 0 || limits.Instances != 0) && count >= instances:
		return amazon.Err(http.StatusBadRequest, "InstanceQuotaExceeded", "DB Instance quota exceeded")
	case (usual >= 0 || limits.StorageGiB > 0) && total > storage:
		return amazon.Err(http.StatusBadRequest, "StorageQuotaExceeded", "Storage quota exceeded")
	}
	return nil
}

// instanceQuota is how many instances the account may have in the region; negative for any number.
func (c *call) instanceQuota() int {
	return cmp.Or(c.limits[c.caller.Account].Instances, c.cloud.Options.InstanceQuota, rdsInstanceQuota)
}

// checkCapacity refuses an instance class for which there are no machines. The words are those that people report.
// https://github.com/hashicorp/terraform-provider-aws/pull/15184
func (c *call) checkCapacity(class *string) error {
	limits := c.limits[c.caller.Account]
	if class == nil || limits.FoundLate || !slices.Contains(limits.NoCapacity, *class) {
		return nil
	}
	return amazon.Err(http.StatusBadRequest, "InsufficientDBInstanceCapacity",
		"Cannot create a "+*class+" database instance because there are no availability zones with sufficient capacity. Please try the request again at a later time.")
}

// endOfCreation is the status in which a creation ends that goes wrong; empty if it does not.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/accessing-monitoring.html (insufficient-capacity)
func (c *call) endOfCreation(made *Instance) string {
	if limits := c.limits[c.caller.Account]; limits.FoundLate && slices.Contains(limits.NoCapacity, *made.db.DBInstanceClass) {
		return "insufficient-capacity"
	}
	return c.endOfStart(made)
}

// endOfStart is the status in which the start of a server ends that can't start with its parameters; empty if it can. Here that is so if shared_buffers, in pages
// of 8 KiB, is more than the memory of the instance class. The parameters go on to wait for a restart. No recording shows that.
// https://aws.amazon.com/premiumsupport/knowledge-center/aurora-mysql-incompatible-parameter/
func (c *call) endOfStart(in *Instance) string {
	g := c.made(c.key(in.groupName()))
	if g == nil {
		return ""
	}
	pages, err := strconv.Atoi(g.values["shared_buffers"].value)
	if err != nil || pages*8/1024/1024 < rdsMemory(*in.db.DBInstanceClass) {
		return ""
	}
	return "incompatible-parameters"
}

// rdsMemory is the memory of an instance class in GiB.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/Concepts.DBInstanceClass.Summary.html
func rdsMemory(class string) int {
	parts := strings.Split(class, ".")
	gib := map[string]int{"micro": 1, "small": 2, "medium": 4, "large": 8, "xlarge": 16}[parts[2]]
	if times, ok := strings.CutSuffix(parts[2], "xlarge"); ok && times != "" {
		n, _ := strconv.Atoi(times)
		gib = 16 * n
	}
	return gib * map[byte]int{'t': 1, 'm': 1, 'r': 2, 'x': 4}[parts[1][0]]
}

// takesModification reports whether an instance can be modified: one whose disk is full only gets a larger one. Strict: no document says whether RDS takes
// anything else then.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Troubleshooting.html#CHAP_Troubleshooting.Storage
func (in *Instance) takesModification(storage *int32) bool {
	if in.status() == "storage-full" {
		return aws.ToInt32(storage) > *in.db.AllocatedStorage
	}
	return slices.Contains([]string{"available", "storage-optimization", "incompatible-credentials"}, in.status())
}

// Limit gives an account other limits than the usual ones.
func (s *Service) Limit(account string, l Limits) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limits[account] = l
}

// SetStatus brings an instance that rests into a status. It reports whether there is one.
func (s *Service) SetStatus(account, region, name, status string) bool {
	return s.alter(Key{account, region, name}, func(in *Instance) { in.rest(status) })
}

// alter changes an instance that rests. It reports whether there is such an instance.
func (s *Service) alter(key Key, change func(*Instance)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle(s.cloud.Options.Now())
	p := s.instances[key]
	if p == nil || p.Now == nil || p.Now.step != resting {
		return false
	}
	next := p.Now.clone()
	change(next)
	p.Now = next
	return true
}
