module github.com/sitewire/sitewire-go

go 1.21
