import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ListPart, Page } from '@fairlead/service-kit/page';
import type { Secret } from '@fairlead/service-kit/secret';
import type { Agent, OpenedAgent } from '../domain/agent.ts';
import type { AgentSettings } from '@fairlead/agent-channel/messages';

/** An agent that was found, and where it polls. */
export interface FoundAgent extends Agent {
  /** The replica that had its last poll (replicaName); null: it has never polled. */
  readonly pollReplica: string | null;
}

/** The agents of all accounts. Every method is confined to one account. Agents that are being created or deleted are not found. */
export interface AgentStore {
  /**
   * Writes down that an agent is created, which is undone soon unless `completeCreation` follows. CONFLICT if the account has MAX_AGENTS,
   * whatever is created at the same time.
   */
  beginCreation(ctx: RequestContext, accountId: string, agent: Omit<OpenedAgent, 'id'>): Promise<void>;
  /** The agent, whose connection exists now. Undefined: the creation was undone. */
  completeCreation(
    ctx: RequestContext,
    accountId: string,
    creationId: string,
    id: number,
  ): Promise<Agent | undefined>;
  /** Hides an agent, or one that is being created, which is removed soon unless `remove` follows. Undefined: there is none. */
  beginRemoval(
    ctx: RequestContext,
    accountId: string,
    agent: { readonly id: number } | { readonly creationId: string },
    now: Date,
  ): Promise<{ readonly creationId: string } | undefined>;
  /** Removes an agent that is hidden. */
  remove(ctx: RequestContext, accountId: string, creationId: string): Promise<void>;
  find(ctx: RequestContext, accountId: string, id: number): Promise<FoundAgent | undefined>;
  findToken(ctx: RequestContext, accountId: string, id: number): Promise<Secret | undefined>;
  /** Newest first. */
  list(ctx: RequestContext, accountId: string, page: Page): Promise<ListPart<Agent>>;
  /** Writes settings unless they have changed since `agent` was read; returns whether it did. */
  saveSettings(
    ctx: RequestContext,
    accountId: string,
    agent: Pick<Agent, 'id' | 'settings'>,
    settings: AgentSettings,
    now: Date,
  ): Promise<boolean>;
  /** Gives an agent another token, and has it offline; undefined: there is none. */
  rotate(
    ctx: RequestContext,
    accountId: string,
    id: number,
    token: Secret,
    now: Date,
  ): Promise<{ readonly creationId: string } | undefined>;
}
