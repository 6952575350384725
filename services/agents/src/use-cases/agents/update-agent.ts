import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { AgentSettings } from '@fairlead/agent-channel/messages';
import { readPlainOutcome } from '@fairlead/agent-channel/outcome';
import { statusOf } from '../../domain/agent.ts';
import type { Agent } from '../../domain/agent.ts';
import { changedSettings } from '../../domain/agent-settings.ts';
import type { SettingsChange } from '../../domain/agent-settings.ts';
import type { AgentStore } from '../../ports/agent-store.ts';
import type { Catalog } from '../../ports/catalog.ts';
import { runTask } from '../tasks/run-task.ts';
import type { RunTaskDeps } from '../tasks/run-task.ts';
import { getAgent } from './get-agent.ts';

export interface UpdateAgentDeps extends RunTaskDeps {
  readonly agents: Pick<AgentStore, 'find' | 'saveSettings'>;
  readonly catalog: Pick<Catalog, 'getConnector'>;
  readonly clock: Clock;
}

/** Attempts of a change that conflicts with concurrent ones. */
const MAX_ATTEMPTS = 5;

/** Whether the agent received a change. */
export interface Dispatch {
  readonly appliedToAgent: boolean;
  readonly dispatchedTaskIds: readonly string[];
}

/** Longest time for an agent to confirm settings. */
const CONFIRM_MS = 10_000;

/**
 * Changes the settings of an agent, then sends them to it if it is online. NOT_FOUND if there is none, VALIDATION_ERROR for a number out of
 * range; in both cases nothing has changed. OPA_AGENT_ERROR if the agent refuses the settings; they are stored nevertheless.
 */
export async function updateAgent(
  deps: UpdateAgentDeps,
  ctx: RequestContext,
  id: number,
  change: SettingsChange,
): Promise<Dispatch> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const agent = await getAgent(deps, ctx, id);
    const application = await deps.catalog.getConnector(ctx, agent.applicationSlug);
    const settings = changedSettings(application, agent.settings, change);
    if (await deps.agents.saveSettings(ctx, accountOf(ctx), agent, settings, deps.clock.now()))
      return await dispatch(deps, ctx, agent, settings);
  }
  throw new ApiError('UNAVAILABLE', 'The agent was changed at the same time. Try again.');
}

async function dispatch(
  deps: UpdateAgentDeps,
  ctx: RequestContext,
  agent: Agent,
  settings: AgentSettings,
): Promise<Dispatch> {
  if (statusOf(agent, deps.clock.now()) !== 'Online') return { appliedToAgent: false, dispatchedTaskIds: [] };
  const task = {
    kind: 'settings',
    hasEffects: false,
    input: JSON.stringify(settings),
    timeoutMs: CONFIRM_MS,
  } as const;
  const outcome = await runTask(deps, ctx, { ...agent, accountId: accountOf(ctx) }, task);
  if ('refusal' in outcome) return { appliedToAgent: false, dispatchedTaskIds: [] };
  const dispatchedTaskIds = [outcome.id];
  if ('ended' in outcome) return { appliedToAgent: false, dispatchedTaskIds };
  const result = readPlainOutcome(outcome.bytes);
  if (!result.isSuccess)
    throw new ApiError(
      'OPA_AGENT_ERROR',
      `The on-prem agent ${agent.name} refused the settings: ${result.errorMessage}`,
    );
  return { appliedToAgent: true, dispatchedTaskIds };
}
