# An image with cutline, bash and git. Mount a folder at /workspace. docs/clients/remote.md has the entry of a client.
FROM rust:1.95-slim-bookworm AS build
WORKDIR /cutline
COPY . .
RUN cargo build --locked --profile dist

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends bash ca-certificates git \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 cutline \
    && install --directory --owner cutline --group cutline /workspace
COPY --from=build /cutline/target/dist/cutline /usr/local/bin/cutline
# The name in the MCP registry, io.github.OWNER/cutline. The registry uses it to verify that the image belongs to the server.
ARG SERVER_NAME=""
LABEL io.modelcontextprotocol.server.name="$SERVER_NAME"
USER 1000
WORKDIR /workspace
ENTRYPOINT ["cutline"]
