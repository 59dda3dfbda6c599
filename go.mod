module github.com/mooring-dev/mooring

go 1.26.0
