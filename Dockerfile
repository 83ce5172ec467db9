# The tag says what it is, the digest is what is pulled.
FROM rust:1.95-alpine3.23@sha256:606fd313a0f49743ee2a7bd49a0914bab7deedb12791f3a846a34a4711db7ed2 AS build
WORKDIR /source
COPY . .
RUN cargo build --locked --profile dist --package heedful-cli --features full \
 && mkdir /image && mkdir -m 1777 /image/tmp && cp target/dist/heedful /image/

FROM scratch
COPY --from=build /image /
USER 65534:65534
WORKDIR /data
ENTRYPOINT ["/heedful"]
