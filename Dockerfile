# Two stages: the first builds, the second holds only what runs. No user but `node`, nothing writable but /data.
FROM node:22-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm install --no-save --ignore-scripts --no-audit --no-fund
COPY tsconfig.json README.md LICENSE ./
COPY scripts ./scripts
COPY src ./src
# Only what the published manifest names is installed beside the bundle.
RUN node scripts/build.mjs --package && cp package/package.json ./ && npm prune --omit=dev --ignore-scripts

FROM node:22-slim
ENV NODE_ENV=production \
    HEADGATE_HOME=/data \
    HEADGATE_SERVER__HOST=0.0.0.0 \
    HEADGATE_LIBRARY__INDEX_PROJECT=false
WORKDIR /app
COPY --from=build /build/package ./
COPY --from=build /build/node_modules ./node_modules
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8787
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.HEADGATE_SERVER__PORT || 8787) + '/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/main.cjs"]
CMD ["serve"]
