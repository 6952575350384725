import type { ConnectorHead } from '@fairlead/connector-model/model';
import { createAnswerCache } from '@fairlead/service-kit/cache/answer-cache';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { Candidate } from '../domain/target.ts';
import type { ExecuteToolDeps } from '../use-cases/execute-tool.ts';

/** How long a change may go unnoticed whose message was lost. */
const TTL_MS = 2_000;
const MAX_ENTRIES = 10_000;

type Answer =
  | { readonly kind: 'tools'; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'connector'; readonly connector: ConnectorHead };

/**
 * The catalogue with its answers remembered for each account: for two seconds at most, and only while its changes are
 * heard of, so that a definition that changed holds at once. That there is none is not remembered: what was added is
 * found by the next call.
 */
export function rememberCatalog(
  catalog: ExecuteToolDeps['catalog'],
  o: {
    readonly hear: (forget: (accountId: string | undefined) => void) => { session(): number | undefined };
    readonly clock: Clock;
  },
): ExecuteToolDeps['catalog'] {
  const answers = createAnswerCache<Answer>({ ...o, ttlMs: TTL_MS, maxEntries: MAX_ENTRIES });
  return {
    async resolveTool(ctx, toolSlug, applicationSlug) {
      const key = JSON.stringify(['tools', toolSlug, applicationSlug]);
      const answer = await answers.get(accountOf(ctx), key, async () => ({
        kind: 'tools',
        candidates: await catalog.resolveTool(ctx, toolSlug, applicationSlug),
      }));
      if (answer.kind !== 'tools') throw new TypeError('A key of the cache stands for two kinds of answers.');
      return answer.candidates;
    },
    async getConnector(ctx, applicationSlug) {
      const key = JSON.stringify(['connector', applicationSlug]);
      const answer = await answers.get(accountOf(ctx), key, async () => ({
        kind: 'connector',
        connector: await catalog.getConnector(ctx, applicationSlug),
      }));
      if (answer.kind !== 'connector')
        throw new TypeError('A key of the cache stands for two kinds of answers.');
      return answer.connector;
    },
  };
}
