import { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { listNewestFirst } from '@fairlead/service-kit/mongo/list-part';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { insertWithin } from '@fairlead/service-kit/mongo/creation-locks';
import { isDuplicateKey } from '@fairlead/service-kit/mongo/write-errors';
import type { Sealer } from '@fairlead/sealing/sealing';
import type { Filter, UpdateFilter } from 'mongodb';
import { MAX_SERVERS } from '../domain/mcp-server.ts';
import type { McpServer, ServerWithToken, ServerChange } from '../domain/mcp-server.ts';
import { tokenHashOf } from '../domain/server-token.ts';
import type { ServerMembers, ServerStore } from '../ports/server-store.ts';
import { defaultServerCollection } from './default-server.collection.ts';
import { mcpServerCollection, TOKEN_INDEX } from './mcp-server.collection.ts';
import type { McpServerDocument } from './mcp-server.collection.ts';
import { tokenBinding } from './sealed-collections.ts';

/** MCP servers in MongoDB, with sealed tokens. */
export function createMcpServerRepository(
  store: MongoStore,
  sealer: Pick<Sealer, 'seal' | 'open'>,
): ServerStore {
  const servers = store.collection(mcpServerCollection);
  const defaults = store.collection(defaultServerCollection);

  async function toDocument(
    accountId: string,
    { id, token, ...same }: ServerWithToken,
  ): Promise<McpServerDocument> {
    return { _id: id, accountId, ...same, ...(await sealedToken(accountId, { id, token })) };
  }

  async function sealedToken(
    accountId: string,
    { id, token }: Pick<ServerWithToken, 'id' | 'token'>,
  ): Promise<Pick<McpServerDocument, 'token' | 'tokenHash'>> {
    const text = token.reveal();
    return { tokenHash: tokenHashOf(text), token: await sealer.seal(accountId, tokenBinding(id), text) };
  }

  async function open(document: McpServerDocument): Promise<ServerWithToken> {
    const { accountId, _id, token } = document;
    return { ...toMcpServer(document), token: await sealer.open(accountId, tokenBinding(_id), token) };
  }

  /** Changes and returns one server; undefined if none matches. */
  async function change(
    ctx: RequestContext,
    filter: Filter<McpServerDocument>,
    update: UpdateFilter<McpServerDocument>,
  ): Promise<ServerWithToken | undefined> {
    const document = await servers.findOneAndUpdate(filter, update, {
      ...operationOptions(ctx),
      returnDocument: 'after',
    });
    return document === null ? undefined : await open(document);
  }

  return {
    async insert(ctx, accountId, server) {
      const document = await toDocument(accountId, server);
      const most = MAX_SERVERS;
      if (!(await insertWithin(store, ctx, { into: servers, document, most, like: { accountId } })))
        throw new ApiError('CONFLICT', `An account has at most ${most} MCP servers.`);
    },

    async insertDefault(ctx, accountId, server) {
      const document = await toDocument(accountId, server);
      try {
        await store.withTransaction(async (session) => {
          const options = { ...operationOptions(ctx), session };
          await defaults.insertOne({ _id: accountId, createdAt: server.createdAt }, options);
          await servers.insertOne(document, options);
        });
      } catch (error) {
        // Another call has inserted it concurrently.
        if (!isDuplicateKey(error)) throw error;
      }
    },

    async hasHadDefault(ctx, accountId) {
      return (await defaults.findOne({ _id: accountId }, operationOptions(ctx))) !== null;
    },

    async find(ctx, accountId, tokenHash) {
      const options = { ...operationOptions(ctx), hint: TOKEN_INDEX };
      const document = await servers.findOne({ tokenHash, accountId }, options);
      return document === null ? undefined : await open(document);
    },

    async findById(ctx, accountId, id) {
      const document = await servers.findOne({ accountId, _id: id }, operationOptions(ctx));
      return document === null ? undefined : toMcpServer(document);
    },

    async locate(ctx, by) {
      const document = await servers.findOne(
        'tokenHash' in by ? { tokenHash: by.tokenHash } : { _id: by.serverId },
        { ...operationOptions(ctx), projection: { accountId: 1, isActive: 1, isAnonymousAllowed: 1 } },
      );
      if (document === null) return undefined;
      const { _id: serverId, accountId, isActive, isAnonymousAllowed } = document;
      return { serverId, accountId, isActive, isAnonymousAllowed };
    },

    async list(ctx, accountId, page) {
      const own = { accountId };
      const part = await listNewestFirst(servers, ctx, own, page, { toItem: open, hint: 'list' });
      return { ...part, items: await Promise.all(part.items) };
    },

    update: (ctx, accountId, tokenHash, members, now) =>
      change(ctx, { tokenHash, accountId }, { $set: { ...membersToSet(members), updatedAt: now } }),

    async rotate(ctx, accountId, { id, tokenHash, token }, now) {
      const sealed = await sealedToken(accountId, { id, token });
      return await change(ctx, { tokenHash, accountId, _id: id }, { $set: { ...sealed, updatedAt: now } });
    },

    removeMembers: (ctx, accountId, id, members) =>
      change(ctx, { accountId, _id: id }, { $pull: removalOf(members) }),

    async delete(ctx, accountId, tokenHash) {
      const { deletedCount } = await servers.deleteOne({ tokenHash, accountId }, operationOptions(ctx));
      return deletedCount === 1;
    },

    async listUses(ctx, accountId, used, most) {
      const using =
        'connectionId' in used
          ? { 'connections.connectionId': used.connectionId }
          : { workflowTokens: used.workflowToken };
      const documents = await servers
        .find({ accountId, ...using }, { ...operationOptions(ctx), projection: { name: 1 } })
        .sort({ _id: 1 })
        .limit(most)
        .toArray();
      return documents.map(({ name }) => name);
    },

    async removeUses(ctx, accountId, members, now) {
      const { connectionIds, workflowTokens } = members;
      const using: readonly Filter<McpServerDocument>[] = [
        { accountId, 'connections.connectionId': { $in: [...connectionIds] } },
        { accountId, workflowTokens: { $in: [...workflowTokens] } },
      ];
      await servers.updateMany(
        { $or: [...using] },
        { $pull: removalOf(members), $set: { updatedAt: now } },
        operationOptions(ctx),
      );
    },
  };
}

/** Decodes a server. */
export function toMcpServer(document: McpServerDocument): McpServer {
  const { _id, accountId: _account, tokenHash: _hash, token: _token, ...same } = document;
  return { ...same, id: _id };
}

/** The server in an export: without its token, and without the identities bound to its slugs. */
export function toExportedServer(document: McpServerDocument): object {
  const { connections, ...same } = toMcpServer(document);
  return {
    ...same,
    connections: connections.map(({ tools, ...entry }) => ({
      ...entry,
      tools: tools && tools.map(({ toolSlug }) => toolSlug),
    })),
  };
}

/** The members to set; for settings, only the changed ones. */
function membersToSet({ settings = {}, ...same }: ServerChange): Readonly<Record<string, unknown>> {
  const members: Record<string, unknown> = { ...same };
  for (const [name, value] of Object.entries(settings)) members[`settings.${name}`] = value;
  return members;
}

function removalOf({ connectionIds, workflowTokens }: ServerMembers) {
  return {
    connections: { connectionId: { $in: [...connectionIds] } },
    workflowTokens: { $in: [...workflowTokens] },
  };
}
