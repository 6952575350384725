import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createConnectorHandlers, hasHandler, workerEntry } from '@fairlead/connectors/handlers';
import { createConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import {
  createHandlerWorkers,
  EXECUTION_RESULT_BYTES,
} from '@fairlead/connector-runtime/workers/handler-workers';
import { createGuardedEgress } from '@fairlead/egress/guarded-egress';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { createAgentChannel } from './channel/agent-channel.ts';
import { createTransport } from './channel/transport.ts';
import type { AgentConfig } from './config/config.ts';
import type { AgentLog } from './logs/agent-log.ts';
import { openLogArchive } from './logs/log-archive.ts';
import { createCallRunner } from './tasks/call-runner.ts';
import { PollLoop } from './tasks/poll-loop.ts';
import { runTask } from './tasks/task-runner.ts';
import { PLATFORM, VERSION } from './version.ts';

/** Maximum worker processes for database drivers. All calls belong to one account, which may use half of them. */
const WORKER_LIMITS = { maxWorkers: 4, callsPerWorker: 50, resultBytes: EXECUTION_RESULT_BYTES };

/** `user-agent` of the agent's own requests, and the default of calls. */
export const USER_AGENT = `fairlead-agent/${VERSION}`;

/** The agent, which runs until `stop` aborts. */
export interface Agent {
  /** As PollLoop.run. */
  run(stop: AbortSignal): Promise<void>;
}

/** Creates the agent for a configuration. `logPaths` are the log files, which the platform may request. */
export function buildAgent(
  config: AgentConfig,
  { log, logPaths, ...agentLog }: AgentLog & { readonly logPaths: () => readonly string[] },
): Agent {
  trustAuthorities(config.extraCertificates);
  const transport = createTransport(config.proxy);
  const channel = createAgentChannel({
    url: config.url,
    token: config.token,
    userAgent: USER_AGENT,
    transport,
  });
  const egress = createGuardedEgress({ allow: config.network, userAgent: USER_AGENT, log });
  const workers = createHandlerWorkers({
    entry: workerEntry,
    allow: config.network,
    log,
    limits: WORKER_LIMITS,
  });
  const runCall = createCallRunner({
    runtime: createConnectorRuntime({ egress, handlers: createConnectorHandlers(workers) }),
    hasHandler,
    profiles: config.profiles,
    version: VERSION,
    log,
  });
  const loop: PollLoop = new PollLoop({
    channel,
    hello: {
      version: VERSION,
      platform: PLATFORM,
      profiles: [...config.profiles.values()].map(({ name, type }) => ({ name, type })),
    },
    setLogLevel: (level) => agentLog.setLevel(level),
    runTask: (task, signal) => runTask(deps, task, signal),
    shutdownGraceMs: config.shutdownGraceMs,
    log,
  });
  const deps = {
    channel,
    runCall,
    applySettings: (settings: Parameters<typeof loop.applySettings>[0]) => loop.applySettings(settings),
    openLogs: () => openLogArchive(logPaths()),
    log,
  };
  return {
    async run(stop) {
      try {
        await loop.run(stop);
      } finally {
        await workers.close();
        await egress.close();
        await transport.destroy();
      }
    },
  };
}

/** Also trusts the machine's certificate authorities, among which companies install the one of their TLS-intercepting proxy. */
export function trustAuthorities(extraCertificates: string | undefined): void {
  const extra =
    extraCertificates?.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  const all = [...getCACertificates('default'), ...getCACertificates('system'), ...extra];
  setDefaultCACertificates([...new Set(all)]);
}

/** Logs the configuration, without any values of profiles. */
export function logConfiguration(config: AgentConfig, log: Logger): void {
  for (const warning of config.warnings) log.warn(warning);
  const { url, network, proxy, logs } = config;
  const profiles = [...config.profiles.keys()];
  log.info(
    { url, profiles, onlyTo: network.onlyTo, proxy: proxy?.url.host, logs: logs.directory },
    'agent starts',
  );
}
