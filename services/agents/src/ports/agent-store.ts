import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ListPart, Page } from '@fairlead/service-kit/page';
import type { Secret } from '@fairlead/service-kit/secret';
import type { Agent, AgentWithToken } from '../domain/agent.ts';
import type { AgentSettings } from '@fairlead/agent-channel/messages';

/** An agent, and the replica that it polls. */
export interface PollingAgent extends Agent {
  /** The replica of its last poll (replicaName); null: it has never polled. */
  readonly pollReplica: string | null;
}

/** Stores agents. Every method is limited to one account. Agents that are being created or removed are not found. */
export interface AgentStore {
  /**
   * Stores a new agent as `creating`; it is removed soon unless `completeCreation` follows. CONFLICT if the account has MAX_AGENTS, also
   * under concurrent creations.
   */
  beginCreation(ctx: RequestContext, accountId: string, agent: Omit<AgentWithToken, 'id'>): Promise<void>;
  /** Makes the agent available, once its connection exists. Undefined: the creation was undone meanwhile. */
  completeCreation(
    ctx: RequestContext,
    accountId: string,
    creationId: string,
    id: number,
  ): Promise<Agent | undefined>;
  /** Marks an agent, ready or being created, as `removing`; it is removed soon, by `remove` or by the sweep. Undefined: there is none. */
  beginRemoval(
    ctx: RequestContext,
    accountId: string,
    agent: { readonly id: number } | { readonly creationId: string },
    now: Date,
  ): Promise<{ readonly creationId: string } | undefined>;
  /** Removes an agent that is marked as `removing`. */
  remove(ctx: RequestContext, accountId: string, creationId: string): Promise<void>;
  find(ctx: RequestContext, accountId: string, id: number): Promise<PollingAgent | undefined>;
  findToken(ctx: RequestContext, accountId: string, id: number): Promise<Secret | undefined>;
  /** Newest first. */
  list(ctx: RequestContext, accountId: string, page: Page): Promise<ListPart<Agent>>;
  /** Writes settings unless they have changed since `agent` was read; returns whether it wrote. */
  saveSettings(
    ctx: RequestContext,
    accountId: string,
    agent: Pick<Agent, 'id' | 'settings'>,
    settings: AgentSettings,
    now: Date,
  ): Promise<boolean>;
  /** Replaces the agent's token and marks it as offline; undefined: there is none. */
  rotate(
    ctx: RequestContext,
    accountId: string,
    id: number,
    token: Secret,
    now: Date,
  ): Promise<{ readonly creationId: string } | undefined>;
}
