FROM rust:1.95-alpine3.23 AS build
WORKDIR /source
COPY . .
RUN cargo build --locked --release --package heedful-cli && mkdir -m 1777 /scratch

FROM scratch
COPY --from=build /source/target/release/heedful /heedful
COPY --from=build /scratch /tmp
USER 65534:65534
WORKDIR /data
ENTRYPOINT ["/heedful"]
