import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@fairlead/local-stores/ports';
import type { DevStack } from '../../setup/dev-stack.ts';
import { openLink } from '@fairlead/service-kit/testing/network';
import type { Link } from '@fairlead/service-kit/testing/network';
import { environmentOf, processOf } from './processes.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PROGRAM = 'services/gateway/src/main.ts';
const START_LIMIT_MS = 180_000;
const POLL_MS = 50;

/** A gateway's peers, each behind its own link. */
export interface GatewayLinks {
  readonly identity: Link;
  readonly catalog: Link;
  readonly connections: Link;
  readonly tools: Link;
  readonly mongod: Link;
  readonly nats: Link;
}

/** A second gateway of the stack whose links can all be cut. */
export interface TwinGateway {
  readonly baseUrl: string;
  readonly links: GatewayLinks;
  close(): Promise<void>;
}

/** Starts a gateway with the settings of the running one, except its peers' addresses, which are links. */
export async function startTwinGateway(stack: DevStack): Promise<TwinGateway> {
  const links = {
    identity: await openLink(portOf(stack.services['identity'])),
    catalog: await openLink(portOf(stack.services['catalog'])),
    connections: await openLink(portOf(stack.services['connections'])),
    tools: await openLink(portOf(stack.services['tools'])),
    mongod: await openLink(portOf(stack.mongodbUri)),
    nats: await openLink(portOf(stack.natsUrl)),
  };
  const port = await freePort();
  const gateway = spawn(process.execPath, [PROGRAM], {
    cwd: ROOT,
    stdio: 'ignore',
    env: {
      ...environmentOf(processOf(stack, PROGRAM)),
      PORT: String(port),
      ADMIN_PORT: '0',
      RPC_PORT: '0',
      GRPC_PORT: '0',
      IDENTITY_URL: urlOf(links.identity),
      IDENTITY_PAGES_URL: urlOf(links.identity),
      CATALOG_URL: urlOf(links.catalog),
      CONNECTIONS_URL: urlOf(links.connections),
      CONNECTIONS_PAGES_URL: urlOf(links.connections),
      TOOLS_URL: urlOf(links.tools),
      // A direct connection: otherwise the replica set would tell the driver an address that bypasses the link.
      MONGODB_URI: `mongodb://${links.mongod.host}:${links.mongod.port}/?directConnection=true`,
      NATS_URL: `nats://${links.nats.host}:${links.nats.port}`,
    },
  });
  const exited = once(gateway, 'exit');
  const baseUrl = `http://127.0.0.1:${port}`;
  await untilReady(baseUrl);
  return {
    baseUrl,
    links,
    async close() {
      gateway.kill('SIGKILL');
      await exited;
      await Promise.all(Object.values(links).map((link) => link.close()));
    },
  };
}

function urlOf(link: Link): string {
  return `http://${link.host}:${link.port}`;
}

/** The port of an address, or of the first one in a list of replicas. */
function portOf(address: string | undefined): number {
  const [first = ''] = (address ?? '').split(',');
  return Number(new URL(first).port);
}

async function untilReady(baseUrl: string): Promise<void> {
  const deadline = Date.now() + START_LIMIT_MS;
  for (;;) {
    const isReady = await fetch(`${baseUrl}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (isReady) return;
    if (Date.now() > deadline) throw new Error('The second gateway did not start.');
    await delay(POLL_MS);
  }
}
