import { ApiError, validationError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { detachedContext } from '@fairlead/service-kit/context/detached-context';
import { guid } from '@fairlead/service-kit/ids';
import { CREATION_LIMIT_MS } from '../../domain/agent.ts';
import type { AgentWithToken } from '../../domain/agent.ts';
import { changedSettings, defaultSettings } from '../../domain/agent-settings.ts';
import type { SettingsChange } from '../../domain/agent-settings.ts';
import { newToken } from '../../domain/agent-token.ts';
import type { LicenceStatus } from '../../domain/licence-status.ts';
import { matchApplication } from '../../domain/match-application.ts';
import type { AgentStore } from '../../ports/agent-store.ts';
import type { Catalog } from '../../ports/catalog.ts';
import type { Connections } from '../../ports/connections.ts';
import { undoCreation } from './undo-creation.ts';

export interface CreateAgentDeps {
  readonly agents: Pick<AgentStore, 'beginCreation' | 'completeCreation' | 'beginRemoval' | 'remove'>;
  readonly catalog: Catalog;
  readonly connections: Connections;
  readonly clock: Clock;
}

/**
 * Stores an agent and its connection, and returns it with its token. VALIDATION_ERROR for settings out of range, NOT_FOUND or
 * AMBIGUOUS_APPLICATION unless exactly one on-prem application is named, CONFLICT if the account has MAX_AGENTS; in these cases nothing is
 * stored. If the process dies in between, the agent is removed within half a minute.
 */
export async function createAgent(
  deps: CreateAgentDeps,
  ctx: RequestContext,
  sent: {
    readonly applicationSlug: string;
    readonly name: string;
    readonly settings: SettingsChange;
    readonly licenceStatus: LicenceStatus;
  },
): Promise<AgentWithToken> {
  const { agents, catalog, connections, clock } = deps;
  const accountId = accountOf(ctx);
  if (sent.applicationSlug === '')
    throw validationError({ field: 'applicationSlug', issue: 'must not be empty' });
  const applicationSlug = matchApplication(await catalog.listSlugs(ctx), sent.applicationSlug);
  const application = await catalog.getConnector(ctx, applicationSlug);
  const settings = changedSettings(application, defaultSettings(application), sent.settings);
  const { name, licenceStatus } = sent;
  const creationId = guid();
  const token = newToken();
  const now = clock.now();
  // Continues if the caller disconnects: otherwise half an agent would have to be undone.
  const lasting = detachedContext(ctx, CREATION_LIMIT_MS);
  await agents.beginCreation(lasting, accountId, {
    creationId,
    token,
    name,
    applicationSlug,
    settings,
    agentVersion: '',
    platform: '',
    profiles: [],
    lastSeenAt: null,
    hasLeft: false,
    createdAt: now,
    updatedAt: now,
  });
  try {
    const connection = { applicationSlug, connectionName: name, creationId, licenceStatus };
    const id = await connections.create(lasting, connection);
    const agent = await agents.completeCreation(lasting, accountId, creationId, id);
    if (agent === undefined) throw new ApiError('UNAVAILABLE', 'The creation took too long. Try again.');
    return { ...agent, token };
  } catch (error) {
    await undoCreation(deps, ctx, accountId, creationId);
    throw error;
  }
}
