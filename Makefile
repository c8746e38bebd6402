# For OpenBench and other programs that start engines: `make EXE=name` builds one that speaks
# UCI when it is started without arguments, and of which `./name bench` ends with the line
# "<nodes> nodes <nps> nps". People need no make: see README.md.

EXE ?= zeitnot-engine

.PHONY: engine pgo

engine:
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.withoutArguments=uci" -o $(EXE) ./cmd/zeitnot

# The profile by which the compiler optimizes: where a long bench spends its time. To be made
# again after larger changes of the search or the evaluation.
pgo:
	GODEBUG=asyncpreemptoff=1 CGO_ENABLED=0 go run -pgo=off ./cmd/zeitnot bench --depth 15 --cpuprofile cmd/zeitnot/default.pgo
