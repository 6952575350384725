import { LicenceStatus } from '@fairlead/contracts/connections/v1/connection_pb';
import type { Connection as ConnectionMessage } from '@fairlead/contracts/connections/v1/connection_pb';
import { CredentialService } from '@fairlead/contracts/connections/v1/credential_service_pb';
import type {
  Credential as CredentialMessage,
  GetCredentialsResponse,
  ResolveConnectionResponse,
} from '@fairlead/contracts/connections/v1/credential_service_pb';
import type { Credential } from '@fairlead/connector-runtime/call';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { Connection } from '../domain/target.ts';
import type { Connections, CredentialResult } from '../ports/connections.ts';
import { createConnectionResolver } from './connection-resolver.ts';

/** A client of the connections service for executions. `nowMs` replaces the monotonic clock of the process in tests. */
export function createConnectionsClient(
  o: RpcClientOptions,
  time: Parameters<typeof createConnectionResolver>[1] = {},
): Connections {
  const credentials = createRpcClient(CredentialService, o);
  const resolver = createConnectionResolver(credentials, { clock: o.clock, ...time });
  return {
    async getConnection(ctx, id, endUserId) {
      const by = { case: 'id', value: id } as const;
      return connectionFrom(
        await resolver.resolve(ctx, { by, ...(endUserId !== undefined && { endUserId }) }),
      );
    },
    async getDefault(ctx, applicationSlug, endUserId) {
      const by = { case: 'applicationSlug', value: applicationSlug } as const;
      return connectionFrom(
        await resolver.resolve(ctx, { by, ...(endUserId !== undefined && { endUserId }) }),
      );
    },
    async listDefaults(ctx, applicationSlugs, endUserId) {
      const { connections } = await credentials.listDefaultConnections(ctx, {
        applicationSlugs: [...applicationSlugs],
        ...(endUserId !== undefined && { endUserId }),
      });
      return connections.map(connectionOf);
    },
    async findConnections(ctx, { ids, applicationSlugs = [], endUserId, withRevisions = false }) {
      if (ids.length === 0) return [];
      const { connections } = await credentials.findConnections(ctx, {
        ids: [...ids],
        applicationSlugs: [...applicationSlugs],
        ...(endUserId !== undefined && { endUserId }),
        withRevisions,
      });
      return connections.map(connectionOf);
    },
    async readToolsAgain(ctx, of) {
      const by =
        'connectionId' in of
          ? ({ case: 'id', value: of.connectionId } as const)
          : ({ case: 'applicationSlug', value: of.applicationSlug } as const);
      const { isAnnounced = false } = of;
      return (await credentials.readToolsAgain(ctx, { by, isAnnounced })).hasChanged;
    },
    async getCredentials(ctx, connectionId, rejectedVersion) {
      const rejected = rejectedVersion === undefined ? {} : { rejectedVersion: BigInt(rejectedVersion) };
      const response = await credentials.getCredentials(ctx, { connectionId, ...rejected });
      // The credential may have been refreshed, so the cached one is dropped.
      resolver.forget(ctx);
      return credentialResultOf(response);
    },
    async addNeededScopes(ctx, connectionId, scopes) {
      await credentials.addNeededScopes(ctx, { connectionId, scopes: [...scopes] });
    },
  };
}

/** Calls that share a read also share the values derived from it, such as its masker. */
const opened = new WeakMap<ResolveConnectionResponse, Connection>();

function connectionFrom(message: ResolveConnectionResponse): Connection {
  const known = opened.get(message);
  if (known !== undefined) return known;
  const { connection, credential } = message;
  const connectionOfMessage = {
    ...connectionOf(connection),
    ...(credential && { credential: credentialOf(credential) }),
  };
  opened.set(message, connectionOfMessage);
  return connectionOfMessage;
}

function connectionOf(message: ConnectionMessage | undefined): Connection {
  if (!message) throw new TypeError('The connections service returned no connection.');
  const { id, applicationSlug, authenticationId, licence, isDefault, endUserId = null } = message;
  const isLicensed = licence?.status === LicenceStatus.ACTIVE;
  const { credentialRevision } = message;
  return {
    id,
    applicationSlug,
    authenticationId,
    isLicensed,
    isDefault,
    endUserId,
    ...(credentialRevision !== undefined && { credentialRevision }),
  };
}

function credentialResultOf({ outcome }: GetCredentialsResponse): CredentialResult {
  if (outcome.case === 'credential') return { kind: 'credential', credential: credentialOf(outcome.value) };
  if (outcome.case) return { kind: 'none', errorMessage: outcome.value };
  throw new TypeError('The connections service returned no credential and no reason.');
}

function credentialOf({
  version,
  fieldsJson,
  accessToken,
  secrets,
  revision,
  grantedScopes,
}: CredentialMessage): Credential {
  return {
    version: Number(version),
    fields: LazyJson.object(fieldsJson).parseObject(),
    ...(accessToken === undefined ? {} : { accessToken }),
    secrets,
    revision,
    ...(grantedScopes && { grantedScopes: grantedScopes.scopes }),
  };
}
