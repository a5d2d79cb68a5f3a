module receiver

go 1.21
