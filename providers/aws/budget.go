package aws

import "github.com/mooring-dev/mooring/providers/driver"

// budgets are the classes in which AWS counts calls: by service and region, and those that read apart from those that write.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/throttling.html
var budgets = []driver.Budget{
	{Name: "RDS reads", Service: "rds", Operations: reading, Regional: true},
	{Name: "RDS writes", Service: "rds", Regional: true},
	{Name: "S3 reads", Service: "s3", Operations: reading, Regional: true},
	{Name: "S3 writes", Service: "s3", Regional: true},
}

// reading are the names of operations that read.
var reading = []string{"Describe*", "Get*", "Head*", "List*"}
