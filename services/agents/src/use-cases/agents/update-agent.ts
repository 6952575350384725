import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { changedSettings } from '../../domain/agent-settings.ts';
import type { SettingsChange } from '../../domain/agent-settings.ts';
import type { AgentStore } from '../../ports/agent-store.ts';
import type { Catalog } from '../../ports/catalog.ts';
import { getAgent } from './get-agent.ts';

export interface UpdateAgentDeps {
  readonly agents: Pick<AgentStore, 'find' | 'saveSettings'>;
  readonly catalog: Pick<Catalog, 'getConnector'>;
  readonly clock: Clock;
}

/** Attempts of a change that meets others. */
const MAX_ATTEMPTS = 5;

/** Changes the settings of an agent; NOT_FOUND if there is none, VALIDATION_ERROR for a number out of range: then nothing has changed. */
export async function updateAgent(
  deps: UpdateAgentDeps,
  ctx: RequestContext,
  id: number,
  change: SettingsChange,
): Promise<void> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const agent = await getAgent(deps, ctx, id);
    const application = await deps.catalog.getConnector(ctx, agent.applicationSlug);
    const settings = changedSettings(application, agent.settings, change);
    if (await deps.agents.saveSettings(ctx, accountOf(ctx), agent, settings, deps.clock.now())) return;
  }
  throw new ApiError('UNAVAILABLE', 'The agent was changed at the same time. Try again.');
}
