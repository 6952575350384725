import { ApiError, notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { Mount } from '@fairlead/service-kit/http/app';
import { callerOf } from '@fairlead/service-kit/http/passed-on';
import type { AgentStore } from '../ports/agent-store.ts';
import type { TaskStore } from '../ports/task-store.ts';
import type { LogCollections } from '../tasks/log-collections.ts';
import { getAgent } from '../use-cases/agents/get-agent.ts';
import type { ToReplica } from './replicas.ts';

export interface LogDownloadDeps {
  readonly agents: Pick<AgentStore, 'find'>;
  readonly tasks: Pick<TaskStore, 'findJoinable'>;
  readonly logs: Pick<LogCollections, 'download'>;
  readonly toReplica: ToReplica;
  readonly replicaUrl: () => string;
  readonly clock: Clock;
}

const PREFIX = '/v1/on-prem-agents';
/** Longest time of a download. */
const DOWNLOAD_MS = 600_000;
/** Another replica may begin or end a collection while this one looks. */
const ATTEMPTS = 3;

/** `GET /v1/on-prem-agents/{id}/logs` for the gateway, in the name of its user. */
export function logDownloads(deps: LogDownloadDeps): Mount {
  return {
    prefix: PREFIX,
    timeoutMs: DOWNLOAD_MS,
    maxBodyBytes: 0,
    async handle(exchange, request, response) {
      const [, id] = /^\/(\d{1,10})\/logs(?:\?|$)/.exec(request.url) ?? [];
      if (id === undefined || request.method !== 'GET') throw notFound('route');
      exchange.route = `${PREFIX}/{id}/logs`;
      const caller = callerOf(request);
      if (caller.kind !== 'user') throw new ApiError('UNAUTHORIZED', 'Only users download logs.');
      const { accountId } = caller;
      exchange.accountId = accountId;
      const ctx = exchange.contextFor(caller, { isOpenEnded: true });
      const agent = await getAgent(deps, ctx, Number(id));
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const now = deps.clock.now();
        const waiter = await deps.tasks.findJoinable(ctx, accountId, agent.creationId, now);
        if (waiter !== undefined && waiter !== deps.replicaUrl())
          return await deps.toReplica(waiter, exchange, request, response, caller);
        if ((await deps.logs.download(ctx, { ...agent, accountId }, response)) === undefined) return;
      }
      throw new ApiError('UNAVAILABLE', 'The logs are being collected for others. Try again.');
    },
  };
}
