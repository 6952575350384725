import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sandboxCrmVariables } from '@fairlead/instance-secrets/variables';
import { waitForPort } from '@fairlead/local-stores/ports';
import { untilOk } from './health.ts';
import { loopbackUrl } from './launch-plan.ts';
import type { LaunchPlan } from './launch-plan.ts';
import type { Service } from './services.ts';

const LOOPBACK_ONLY = fileURLToPath(new URL('loopback-only.ts', import.meta.url));

/** The bundled vendor, with the OAuth client of its connector and another for trying auth providers. */
export function sandboxCrm(plan: LaunchPlan): Service {
  const url = loopbackUrl(plan.ports.sandboxCrm);
  return {
    program: {
      name: 'sandbox-crm',
      args: [join(plan.root, 'samples', 'sandbox-crm', 'src', 'main.ts')],
      env: {
        ...plan.childEnvironment,
        HOST: '127.0.0.1',
        PORT: String(plan.ports.sandboxCrm),
        PUBLIC_URL: url,
        DATA_DIRECTORY: plan.data.sandboxCrm,
        ...sandboxCrmVariables(plan.secrets, loopbackUrl(plan.gatewayPort)),
      },
      cwd: plan.root,
      logFile: plan.data.logFile('sandbox-crm'),
    },
    ready: (signal) => untilOk(`${url}/healthz`, signal),
  };
}

/** The MCP reference server: a third-party MCP server to connect and call. */
export function mcpServer(plan: LaunchPlan): Service {
  const port = plan.ports.mcpServer;
  const script = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));
  return {
    program: {
      name: 'mcp-server',
      args: ['--import', LOOPBACK_ONLY, script, 'streamableHttp'],
      env: { ...plan.childEnvironment, PORT: String(port) },
      cwd: plan.root,
      logFile: plan.data.logFile('mcp-server'),
    },
    ready: (signal) => waitForPort(port, signal),
  };
}

/** The address of the MCP reference server. */
export function mcpServerUrl(plan: LaunchPlan): string {
  return `${loopbackUrl(plan.ports.mcpServer)}/mcp`;
}
