import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { SealedValue } from '@fairlead/sealing/sealed-value';
import { dueIndex } from '@fairlead/service-kit/sweep/claims';
import type { DueState } from '@fairlead/service-kit/sweep/claims';
import type { Agent } from '../domain/agent.ts';

/** `creating`: its connection may already exist. `ready`: an agent of the account. `removing`: its connection may already be removed. */
export type AgentState = 'creating' | 'ready' | 'removing';

export interface AgentDocument extends Omit<Agent, 'id' | 'creationId' | 'profiles'> {
  /** The agent's creation id. */
  readonly _id: string;
  readonly accountId: string;
  readonly state: AgentState;
  /** The id of its connection; null until that exists. */
  readonly connectionId: number | null;
  /** Digest of the token, by which the agent is found. */
  readonly tokenHash: string;
  readonly token: SealedValue;
  /** Absent: written by an earlier release. */
  readonly profiles?: Agent['profiles'];
  /** The process that runs it; absent or null: none. */
  readonly instance?: string | null;
  /** The current poll, which gets its tasks; absent or null: none. */
  readonly pollId?: string | null;
  /** The replica that it polled last; absent or null: it has never polled, or polled a replica of an earlier release. */
  readonly pollReplica?: string | null;
  /** When the sweep removes an unfinished creation or completes a removal; null: the agent is ready. */
  readonly removal: DueState | null;
}

/** Path of the member with which the sweep claims agents. */
export const REMOVAL_PATH = 'removal';

/** Lists and exports use the first index. */
export const agentCollection = defineCollection<AgentDocument>({
  name: 'agents',
  indexes: [
    { key: { accountId: 1, state: 1, createdAt: -1, _id: -1 }, name: 'list' },
    { key: { accountId: 1, connectionId: 1 }, name: 'connection' },
    { key: { tokenHash: 1 }, name: 'token', unique: true },
    dueIndex(REMOVAL_PATH),
  ],
});
