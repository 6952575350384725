/** The configuration of the image, equal to the Dockerfile's. */
export const IMAGE_CONFIG = {
  User: '65532:65532',
  WorkingDir: '/app',
  Env: [
    'NODE_ENV=production',
    'HOST=0.0.0.0',
    'PORT=8080',
    'GRPC_PORT=8081',
    'RPC_PORT=8082',
    'ADMIN_PORT=9090',
    'CATALOGUE_PATH=/app/catalogue.json',
  ],
  Entrypoint: ['/nodejs/bin/node', '/app/deploy/docker/main.ts'],
  Cmd: [],
} as const;
