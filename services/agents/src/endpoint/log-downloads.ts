import { ApiError, notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { Mount } from '@fairlead/service-kit/http/app';
import { callerOf } from '@fairlead/service-kit/http/passed-on';
import type { AgentStore } from '../ports/agent-store.ts';
import type { TaskStore } from '../ports/task-store.ts';
import type { LogCollections } from '../tasks/log-collections.ts';
import { getAgent } from '../use-cases/agents/get-agent.ts';
import { hasSameAddress } from '../domain/replica-name.ts';
import { isPassedOn } from './replicas.ts';
import type { ToReplica } from './replicas.ts';

export interface LogDownloadDeps {
  readonly agents: Pick<AgentStore, 'find'>;
  readonly tasks: Pick<TaskStore, 'findJoinable' | 'cancel'>;
  readonly logs: Pick<LogCollections, 'download'>;
  readonly toReplica: ToReplica;
  readonly replicaUrl: () => string;
  readonly clock: Clock;
}

const PREFIX = '/v1/on-prem-agents';
/** Longest duration of a download. */
const DOWNLOAD_MS = 600_000;
/** Retries, because another replica may begin or end a collection in between. */
const ATTEMPTS = 3;
/**
 * Only an error within this time is retried: an unreachable replica fails sooner, and after a later failure no time is left to answer the
 * client.
 */
const RETRY_WITHIN_MS = 1_500;

/** `GET /v1/on-prem-agents/{id}/logs`, forwarded by the gateway with its user as the caller. */
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
      const own = deps.replicaUrl();
      const isPassedOnByOther = isPassedOn(request);
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const found = await deps.tasks.findJoinable(ctx, accountId, agent.creationId);
        if (found === undefined || found.waiter === own) {
          if ((await deps.logs.download(ctx, { ...agent, accountId }, response)) === undefined) return;
        } else {
          const isOver = found.deadline <= deps.clock.now() || hasSameAddress(found.waiter, own);
          const isSent = !isOver && (await passOn(found.waiter));
          if (isSent) return;
          // Nobody waits for this collection any more, and it would block further ones.
          await deps.tasks.cancel(ctx, accountId, found.id, deps.clock.now());
        }
      }
      throw new ApiError('UNAVAILABLE', 'The logs are being collected for others. Try again.');

      /** Forwards the request to the waiting replica; returns whether it answered. */
      async function passOn(waiter: string): Promise<boolean> {
        const startedAt = performance.now();
        try {
          await deps.toReplica(waiter, exchange, request, response, caller);
          return true;
        } catch (error) {
          const isAway = error instanceof ApiError && error.code === 'UNAVAILABLE';
          const isLate = performance.now() - startedAt > RETRY_WITHIN_MS;
          if (!isAway || isLate || response.headersSent || isPassedOnByOther) throw error;
          return false;
        }
      }
    },
  };
}
