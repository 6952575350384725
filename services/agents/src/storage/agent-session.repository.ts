import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { AgentSession, AgentSessions } from '../ports/agent-sessions.ts';
import { agentCollection } from './agent.collection.ts';
import type { AgentDocument } from './agent.collection.ts';
import { toAgent } from './agent.repository.ts';

/** The processes of agents; stored in the agents' documents. */
export function createAgentSessionRepository(store: MongoStore): AgentSessions {
  const agents = store.collection(agentCollection);
  const after = { returnDocument: 'after' } as const;
  return {
    async findByToken(ctx, tokenHash) {
      const document = await agents.findOne(
        { tokenHash, state: 'ready' },
        { ...operationOptions(ctx), readConcern: { level: 'local' } },
      );
      return document === null ? undefined : toSession(document);
    },
    async begin(ctx, tokenHash, { now, ...same }) {
      const document = await agents.findOneAndUpdate(
        { tokenHash, state: 'ready' },
        { $set: { ...same, pollId: null, lastSeenAt: now, hasLeft: false } },
        { ...operationOptions(ctx), ...after },
      );
      return document === null ? undefined : toSession(document);
    },
    async beginPoll(ctx, tokenHash, { instance, pollId, pollReplica, now }) {
      const document = await agents.findOneAndUpdate(
        { tokenHash, state: 'ready', instance },
        { $set: { pollId, pollReplica, lastSeenAt: now } },
        // w:1 suffices: the next poll writes it again, and sessions are read with local concern.
        { ...operationOptions(ctx), ...after, writeConcern: { w: 1 } },
      );
      return document === null ? undefined : toSession(document);
    },
    async leave(ctx, tokenHash, { instance }) {
      const document = await agents.findOneAndUpdate(
        { tokenHash, state: 'ready', instance },
        { $set: { hasLeft: true, instance: null, pollId: null } },
        { ...operationOptions(ctx), ...after },
      );
      return document === null ? undefined : toSession(document);
    },
  };
}

function toSession(document: AgentDocument): AgentSession {
  const { accountId, instance, pollId } = document;
  return { ...toAgent(document), accountId, instance: instance ?? null, pollId: pollId ?? null };
}
