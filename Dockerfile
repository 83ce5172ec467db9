FROM rust:1.95-alpine3.23 AS build
WORKDIR /source
COPY . .
RUN cargo build --locked --release --package heedful-cli \
 && mkdir /image && mkdir -m 1777 /image/tmp && cp target/release/heedful /image/

FROM scratch
COPY --from=build /image /
USER 65534:65534
WORKDIR /data
ENTRYPOINT ["/heedful"]
