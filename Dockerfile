# zeitnot as an image: one static program, certificates, an empty folder for its state.
#
#   docker build -t zeitnot .
#   docker run -d --name zeitnot --env-file zeitnot.env -v zeitnot:/state zeitnot
#
# docker stop waits only ten seconds: give running games more with --stop-timeout 7500.

# GO_IMAGE has Go, a shell and certificates.
ARG GO_IMAGE=docker.io/library/golang:1.26
FROM ${GO_IMAGE} AS build
WORKDIR /src

# The modules first: they change seldom and stay in the cache.
COPY go.mod go.sum ./
RUN go mod download

COPY . .
# VERSION is what the program says it is: without any what git makes of the commit, if it can.
ARG VERSION
RUN version=${VERSION:-$(git describe --tags --always --dirty 2>/dev/null || echo dev)} && \
    CGO_ENABLED=0 go build -buildvcs=false -trimpath -ldflags "-s -w -X main.version=$version" -o /out/zeitnot ./cmd/zeitnot
RUN mkdir /out/state

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/zeitnot /zeitnot
# A number needs no user database, and 65532 is nobody's on most machines.
COPY --from=build --chown=65532:65532 /out/state /state
USER 65532:65532

ENV ZEITNOT_STATE_DIR=/state
VOLUME /state

# The first SIGTERM lets running games end, another one, after at least 1 s, leaves at once.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s CMD ["/zeitnot", "healthcheck"]
ENTRYPOINT ["/zeitnot"]
CMD ["run"]
