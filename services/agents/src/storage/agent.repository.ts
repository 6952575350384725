import { ApiError } from '@fairlead/errors/api-error';
import { listNewestFirst } from '@fairlead/service-kit/mongo/list-part';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { insertWithin } from '@fairlead/service-kit/mongo/creation-locks';
import type { Sealer } from '@fairlead/sealing/sealing';
import type { DueState } from '@fairlead/service-kit/sweep/claims';
import type { Secret } from '@fairlead/service-kit/secret';
import { ABANDONED_MS, MAX_AGENTS } from '../domain/agent.ts';
import type { Agent } from '../domain/agent.ts';
import { tokenHashOf } from '../domain/agent-token.ts';
import type { AgentStore } from '../ports/agent-store.ts';
import { agentCollection } from './agent.collection.ts';
import type { AgentDocument } from './agent.collection.ts';
import { tokenBinding } from './sealed-collections.ts';

/** Agents in MongoDB, with sealed tokens. */
export function createAgentRepository(store: MongoStore, sealer: Pick<Sealer, 'seal' | 'open'>): AgentStore {
  const agents = store.collection(agentCollection);

  async function sealedToken(
    accountId: string,
    creationId: string,
    token: Secret,
  ): Promise<Pick<AgentDocument, 'token' | 'tokenHash'>> {
    const text = token.reveal();
    return {
      tokenHash: tokenHashOf(text),
      token: await sealer.seal(accountId, tokenBinding(creationId), text),
    };
  }

  return {
    async beginCreation(ctx, accountId, { creationId, token, ...same }) {
      const document: AgentDocument = {
        _id: creationId,
        accountId,
        state: 'creating',
        connectionId: null,
        ...same,
        ...(await sealedToken(accountId, creationId, token)),
        removal: removalDue(accountId, same.createdAt),
      };
      const most = MAX_AGENTS;
      if (!(await insertWithin(store, ctx, { into: agents, document, most, like: { accountId } })))
        throw new ApiError('CONFLICT', `An account has at most ${most} on-prem agents.`);
    },

    async completeCreation(ctx, accountId, creationId, id) {
      const document = await agents.findOneAndUpdate(
        { _id: creationId, accountId, state: 'creating' },
        { $set: { state: 'ready', connectionId: id, removal: null } },
        { ...operationOptions(ctx), returnDocument: 'after' },
      );
      return document === null ? undefined : toAgent(document);
    },

    async beginRemoval(ctx, accountId, agent, now) {
      const filter =
        'id' in agent
          ? { accountId, connectionId: agent.id, state: 'ready' as const }
          : { accountId, _id: agent.creationId };
      const removal = removalDue(accountId, now);
      // With a creation id, the agent has had a due time for its removal since its creation. A sweep may have claimed the agent by it, and keeps
      // the claim.
      const change = 'id' in agent ? { state: 'removing' as const, removal } : { state: 'removing' as const };
      const document = await agents.findOneAndUpdate(filter, { $set: change }, operationOptions(ctx));
      return document === null ? undefined : { creationId: document._id };
    },

    async remove(ctx, accountId, creationId) {
      await agents.deleteOne({ _id: creationId, accountId, state: 'removing' }, operationOptions(ctx));
    },

    async find(ctx, accountId, id) {
      const document = await agents.findOne(
        { accountId, connectionId: id, state: 'ready' },
        operationOptions(ctx),
      );
      if (document === null) return undefined;
      return { ...toAgent(document), pollReplica: document.pollReplica ?? null };
    },

    async findToken(ctx, accountId, id) {
      const document = await agents.findOne(
        { accountId, connectionId: id, state: 'ready' },
        operationOptions(ctx),
      );
      return document === null
        ? undefined
        : await sealer.open(accountId, tokenBinding(document._id), document.token);
    },

    list: (ctx, accountId, page) =>
      listNewestFirst(agents, ctx, { accountId, state: 'ready' }, page, { toItem: toAgent, hint: 'list' }),

    async saveSettings(ctx, accountId, { id, settings: former }, settings, now) {
      const { matchedCount } = await agents.updateOne(
        { accountId, connectionId: id, state: 'ready', settings: former },
        { $set: { settings, updatedAt: now } },
        operationOptions(ctx),
      );
      return matchedCount === 1;
    },

    async rotate(ctx, accountId, id, token, now) {
      const options = operationOptions(ctx);
      const own = { accountId, connectionId: id, state: 'ready' as const };
      const found = await agents.findOne(own, { ...options, projection: { _id: 1 } });
      if (found === null) return undefined;
      const sealed = await sealedToken(accountId, found._id, token);
      const { matchedCount } = await agents.updateOne(
        own,
        { $set: { ...sealed, hasLeft: true, instance: null, pollId: null, updatedAt: now } },
        options,
      );
      return matchedCount === 1 ? { creationId: found._id } : undefined;
    },
  };
}

/** Due when the process that creates or removes the agent must have given up. */
function removalDue(accountId: string, now: Date): DueState {
  return { lane: accountId, at: new Date(now.getTime() + ABANDONED_MS), claim: null };
}

/** An agent that is ready. */
export function toAgent(document: AgentDocument): Agent {
  const { id, ...same } = membersOf(document);
  if (id === null) throw new Error('An agent that is ready has no connection.');
  return { id, creationId: document._id, ...same };
}

/** The agent in an export of its account. */
export function toExportedAgent(document: AgentDocument): object {
  return membersOf(document);
}

function membersOf({
  _id: _creation,
  accountId: _account,
  state: _state,
  connectionId: id,
  tokenHash: _hash,
  token: _token,
  removal: _removal,
  instance: _instance,
  pollId: _poll,
  pollReplica: _replica,
  profiles = [],
  ...same
}: AgentDocument) {
  return { id, profiles, ...same };
}
