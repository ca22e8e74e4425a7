# Everyday commands. CI runs .ci/run, which is `make check` and the tests with the race detector.

.PHONY: test race check run bench fuzz

test: ## all tests, as the README has it
	go test ./... ./examples/...

race: ## the same with the race detector
	go test -race ./... ./examples/...

check: ## formatting, vet and staticcheck
	@test -z "$$(gofmt -l .)" || { gofmt -l .; exit 1; }
	go vet ./... ./examples/...
	go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./... ./examples/...

run: ## the example API server, in memory
	go run ./examples/apiserver --data memory

bench: ## all benchmarks, six times, for benchstat
	go test -run '^$$' -bench . -benchmem -count 6 ./...

FUZZTIME ?= 20s
fuzz: ## every fuzz target for FUZZTIME
	@for pkg in $$(go list ./... ./examples/...); do \
		for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			echo "$$pkg $$target"; \
			go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
		done; \
	done
