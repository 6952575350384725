import type { AgentProfile } from '@fairlead/agent-channel/messages';
import { notFound } from '@fairlead/errors/api-error';
import type { Secret } from '@fairlead/service-kit/secret';
import type { AgentSettings } from '@fairlead/agent-channel/messages';

/** Maximum number of agents per account. */
export const MAX_AGENTS = 1_000;

/** Longest time to store the connection of a new agent. */
export const CREATION_LIMIT_MS = 10_000;
/** After this time, a creation or removal is considered abandoned, and another process undoes or completes it. */
export const ABANDONED_MS = 20_000;

/** A program in the account's network that runs tools there. */
export interface Agent {
  /** The id of its connection. */
  readonly id: number;
  /** A GUID by which its connection can be found, even if the creation did not finish. */
  readonly creationId: string;
  readonly name: string;
  readonly applicationSlug: string;
  readonly settings: AgentSettings;
  /** Empty: it has never polled. */
  readonly agentVersion: string;
  /** Empty: it has never polled. */
  readonly platform: string;
  /** Names of the credentials in its configuration file. */
  readonly profiles: readonly AgentProfile[];
  /** Null: it has never polled. */
  readonly lastSeenAt: Date | null;
  /** True if it said goodbye, or its token was replaced, and it has not polled since. */
  readonly hasLeft: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** An agent with its token. */
export interface AgentWithToken extends Agent {
  readonly token: Secret;
}

/** Whether an agent can run tasks. */
export type AgentStatus = 'WaitingForConnection' | 'Online' | 'Offline';

/** Number of missed poll periods after which an agent is offline. */
const SILENT_PERIODS = 3;

/** The status of an agent at a time. */
export function statusOf(
  { lastSeenAt, hasLeft, settings }: Pick<Agent, 'lastSeenAt' | 'hasLeft' | 'settings'>,
  now: Date,
): AgentStatus {
  if (lastSeenAt === null) return 'WaitingForConnection';
  if (hasLeft) return 'Offline';
  const silentMs = now.getTime() - lastSeenAt.getTime();
  return silentMs > SILENT_PERIODS * settings.pullPeriodSeconds * 1_000 ? 'Offline' : 'Online';
}

/** Returns the agent; throws NOT_FOUND with the id if it is undefined. */
export function requiredAgent<T>(agent: T | undefined, id: number): T {
  if (agent === undefined) throw notFound('on-prem agent', id);
  return agent;
}
