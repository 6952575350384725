import type { AgentProfile } from '@fairlead/agent-channel/messages';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Agent } from '../domain/agent.ts';

/** An agent, and the process that runs it now. */
export interface AgentSession extends Agent {
  readonly accountId: string;
  /** Null: none has introduced itself since the token is in force. */
  readonly instance: string | null;
  /** The poll that is open; an earlier one gets no task any more. Null: there was none. */
  readonly pollId: string | null;
}

/** The processes of agents, by the digest of the token that they send. A token of no agent finds nothing. */
export interface AgentSessions {
  /** The agent of a token; the context may be of anybody. */
  findByToken(ctx: RequestContext, tokenHash: string): Promise<AgentSession | undefined>;
  /** Makes a process the one that runs the agent. */
  begin(
    ctx: RequestContext,
    tokenHash: string,
    o: {
      readonly instance: string;
      readonly agentVersion: string;
      readonly platform: string;
      readonly profiles: readonly AgentProfile[];
      readonly now: Date;
    },
  ): Promise<AgentSession | undefined>;
  /** Notes that the process polls at a replica (replicaName); undefined: the token is of no agent, or another process runs it. */
  beginPoll(
    ctx: RequestContext,
    tokenHash: string,
    o: {
      readonly instance: string;
      readonly pollId: string;
      readonly pollReplica: string;
      readonly now: Date;
    },
  ): Promise<AgentSession | undefined>;
  /** Notes that the process has ended. */
  leave(
    ctx: RequestContext,
    tokenHash: string,
    o: { readonly instance: string; readonly now: Date },
  ): Promise<AgentSession | undefined>;
}
