FROM rust:1.95-alpine3.23 AS build
WORKDIR /source
COPY . .
RUN cargo build --locked --profile dist --package heedful-cli --features full \
 && mkdir /image && mkdir -m 1777 /image/tmp && cp target/dist/heedful /image/

FROM scratch
COPY --from=build /image /
USER 65534:65534
WORKDIR /data
ENTRYPOINT ["/heedful"]
