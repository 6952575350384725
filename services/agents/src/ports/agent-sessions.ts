import type { AgentProfile } from '@fairlead/agent-channel/messages';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Agent } from '../domain/agent.ts';

/** An agent, and the process that runs it. */
export interface AgentSession extends Agent {
  readonly accountId: string;
  /** Null: no process has said hello since the token was issued. */
  readonly instance: string | null;
  /** The open poll; earlier ones get no more tasks. Null: there was none. */
  readonly pollId: string | null;
}

/** The processes of agents, found by the digest of the token; undefined for an unknown token. */
export interface AgentSessions {
  /** The agent with the token. The context need not have a caller. */
  findByToken(ctx: RequestContext, tokenHash: string): Promise<AgentSession | undefined>;
  /** Makes this process the one that runs the agent. */
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
  /** Records that the process polls at a replica (replicaName). Undefined: the token is unknown, or another process runs the agent. */
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
  /** Records that the process has ended. */
  leave(
    ctx: RequestContext,
    tokenHash: string,
    o: { readonly instance: string; readonly now: Date },
  ): Promise<AgentSession | undefined>;
}
