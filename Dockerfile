# syntax=docker/dockerfile:1
# aloud, with the HTTP/3 engine and libopus built in. docs/deploying.md has how to run it.

# Node.js 24.18.0, for amd64 and arm64.
FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS build
COPY --from=rust:1.95.0-slim-bookworm /usr/local/cargo /usr/local/cargo
COPY --from=rust:1.95.0-slim-bookworm /usr/local/rustup /usr/local/rustup
ENV CARGO_HOME=/usr/local/cargo RUSTUP_HOME=/usr/local/rustup PATH=/usr/local/cargo/bin:$PATH
RUN apt-get update && \
    apt-get install -y --no-install-recommends gcc g++ libc6-dev make cmake && \
    rm -rf /var/lib/apt/lists/*
WORKDIR /aloud
# What is compiled changes less often than the rest.
COPY package.json package-lock.json ./
COPY bench/package.json ./bench/
COPY native ./native
RUN npm ci --omit=dev --omit=optional --no-audit --no-fund && \
    npm run build:native && \
    rm -rf native/target
COPY LICENSE README.md ./
COPY server ./server
COPY programs ./programs
COPY public ./public
COPY worklets ./worklets

FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d
ENV NODE_ENV=production \
    ALOUD_CERT_DIR=/var/lib/aloud/certs \
    ALOUD_RECORDING_DIR=/var/lib/aloud/recordings
# npm isn't needed to run, and what isn't there has no faults.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack && \
    install -d -o node -g node -m 700 /var/lib/aloud
COPY --from=build --chown=root:root /aloud /aloud
USER node
WORKDIR /var/lib/aloud
VOLUME /var/lib/aloud
# The page and its WebSockets, HTTP/3, and with --domain plain HTTP for the authority.
EXPOSE 443/tcp 443/udp 80/tcp 8080/tcp 4433/udp
STOPSIGNAL SIGTERM
# Any certificate will do for the question whether the process answers.
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 CMD ["node", "/aloud/deploy/health.js"]
COPY --chown=root:root deploy/health.js /aloud/deploy/health.js
ENTRYPOINT ["node", "/aloud/server/main.js"]
