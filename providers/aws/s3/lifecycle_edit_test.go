package s3_test
