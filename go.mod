module github.com/seed-6c0fa0ad/plinth

go 1.26
