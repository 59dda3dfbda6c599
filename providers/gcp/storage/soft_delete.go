package storage

import (
	"fmt"
	"strconv"
	"time"

	"cloud.google.com/go/storage"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

const oneDay = 24 * time.Hour

// softDeleteCost is what it costs that deleted objects are kept for a shorter time.
var softDeleteCost = driver.Cost{
	Text:   "what was deleted before stays restorable for as long as it was when it was deleted",
	Source: "https://cloud.google.com/storage/docs/use-soft-delete",
}

// softDeleteRow is for how long deleted objects can be restored. https://cloud.google.com/storage/docs/soft-delete
var softDeleteRow = table.Written(table.Field("gcp.softDeleteDays",
	func(p *v1alpha1.BucketParameters) *int32 { return gcpOf(p).SoftDeleteDays },
	haveSoftDelete,
	func(p *parameters, v int32) {
		p.SoftDeletePolicy = &storage.SoftDeletePolicy{RetentionDuration: time.Duration(v) * oneDay}
	},
).Reported(func(b *bucket) *int32 {
	if days := haveSoftDelete(b); days != nil || b.SoftDeletePolicy == nil {
		return days
	}
	return new(portable.InexpressibleRetention)
}), softDeleteText).EffectOf(softDeleteEffect,
	driver.PossibleEffect{Effect: driver.Online, When: "the number grows"},
	driver.PossibleEffect{Effect: driver.LosesBackups, When: "the number shrinks: what is deleted from then on can be restored for a shorter time, with 0 not at all", Cost: softDeleteCost})

// haveSoftDelete returns the days of a bucket; nil if they are not known, or are no whole days, which other tools may set.
func haveSoftDelete(b *bucket) *int32 {
	if b.SoftDeletePolicy == nil || b.SoftDeletePolicy.RetentionDuration%oneDay != 0 {
		return nil
	}
	return new(int32(b.SoftDeletePolicy.RetentionDuration / oneDay))
}

// softDeleteText is how people see days of soft delete.
func softDeleteText(days int32) string {
	if days == portable.InexpressibleRetention {
		return portable.RetentionText(days)
	}
	return strconv.Itoa(int(days))
}

// softDeleteEffect goes by the bucket where it has no whole days.
func softDeleteEffect(from *int32, to int32, have *bucket) (driver.Effect, string) {
	var before time.Duration
	switch {
	case from != nil && *from != portable.InexpressibleRetention:
		before = time.Duration(*from) * oneDay
	case have.SoftDeletePolicy != nil:
		before = have.SoftDeletePolicy.RetentionDuration
	}
	unknown := from != nil && *from == portable.InexpressibleRetention && have.SoftDeletePolicy == nil // in a preview
	switch after := time.Duration(to) * oneDay; {
	case unknown && after != 0:
		return driver.LosesBackups, fmt.Sprintf("if it was longer, objects that are deleted or overwritten from then on can be restored for %d days only", to)
	case after >= before && !unknown:
		return driver.Online, ""
	case after == 0:
		return driver.LosesBackups, "nobody can restore objects that are deleted or overwritten from then on, nor the bucket if somebody deletes it"
	default:
		return driver.LosesBackups, fmt.Sprintf("objects that are deleted or overwritten from then on can be restored for %d days only", to)
	}
}
