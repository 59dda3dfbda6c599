package aws_test
