import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { waitForPort } from '@fairlead/local-stores/ports';
import { untilOk } from './health.ts';
import { loopbackUrl } from './house.ts';
import type { House } from './house.ts';
import type { Service } from './services.ts';

const LOOPBACK_ONLY = fileURLToPath(new URL('loopback-only.ts', import.meta.url));

/** The bundled vendor, with the OAuth clients of its connector and of people who try auth providers. */
export function sandboxCrm(house: House): Service {
  const url = loopbackUrl(house.ports.sandboxCrm);
  const secrets = house.secrets.sandboxCrm;
  const redirectUris = [`${loopbackUrl(house.gatewayPort)}/connect/callback`];
  const clients = [
    { ...secrets.connectorClient, name: 'Fairlead' },
    { ...secrets.providerClient, name: 'Fairlead (auth provider)' },
  ];
  return {
    program: {
      name: 'sandbox-crm',
      args: [join(house.root, 'samples', 'sandbox-crm', 'src', 'main.ts')],
      env: {
        ...house.childEnvironment,
        HOST: '127.0.0.1',
        PORT: String(house.ports.sandboxCrm),
        PUBLIC_URL: url,
        DATA_DIRECTORY: house.data.sandboxCrm,
        API_TOKEN: secrets.apiToken,
        ADMIN_KEY: secrets.adminKey,
        USER_EMAIL: secrets.userEmail,
        USER_PASSWORD: secrets.userPassword,
        OAUTH_CLIENTS: JSON.stringify(clients.map((client) => ({ ...client, redirectUris }))),
      },
      cwd: house.root,
      logFile: house.data.logFile('sandbox-crm'),
    },
    ready: (signal) => untilOk(`${url}/healthz`, signal),
  };
}

/** The MCP reference server: an MCP server that somebody else wrote, to connect and call. */
export function mcpServer(house: House): Service {
  const port = house.ports.mcpServer;
  const script = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));
  return {
    program: {
      name: 'mcp-server',
      args: ['--import', LOOPBACK_ONLY, script, 'streamableHttp'],
      env: { ...house.childEnvironment, PORT: String(port) },
      cwd: house.root,
      logFile: house.data.logFile('mcp-server'),
    },
    ready: (signal) => waitForPort(port, signal),
  };
}

/** Where the MCP reference server answers. */
export function mcpServerUrl(house: House): string {
  return `${loopbackUrl(house.ports.mcpServer)}/mcp`;
}
