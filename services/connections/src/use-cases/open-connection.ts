import type { Credential } from '@fairlead/connector-runtime/call';
import { notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { actingAccountOf } from '@fairlead/service-kit/context/context';
import type { Connection } from '../domain/connection.ts';
import { effectiveLicence, noDefault } from '../domain/connection.ts';
import { credentialVerdict } from '../domain/credential-verdict.ts';
import type { ConnectionReference, CredentialStore, SealedConnection } from '../ports/credential-store.ts';
import { fillCredential } from './fill-credential.ts';
import { resolveConnection } from './resolve-connection.ts';

type OpenConnectionDeps = DepsOf<typeof resolveConnection | typeof fillCredential> & {
  readonly credentials: Pick<CredentialStore, 'find'>;
  readonly clock: Clock;
};

/** A connection, with its credential if opened. */
interface CallCredential {
  readonly connection: Connection;
  /** Undefined: the connection has no licence in effect, or getCredentials must renew the credential or say why there is none. */
  readonly credential: Credential | undefined;
}

/**
 * Finds a connection like resolveConnection, and opens its credential from the same read. Opens nothing without a licence in effect, and
 * calls no vendor.
 */
export async function openConnection(
  deps: OpenConnectionDeps,
  ctx: RequestContext,
  reference: ConnectionReference,
  endUserId?: string,
): Promise<CallCredential> {
  const sealed = await findSealed(deps, ctx, reference, endUserId);
  const { connection } = sealed;
  if (effectiveLicence(connection.licence, deps.clock.now()).status !== 'active')
    return { connection, credential: undefined };
  const opened = await sealed.open();
  const verdict = credentialVerdict(connection, opened.credential, undefined, deps.clock.now());
  return { connection, credential: verdict === 'use' ? await fillCredential(deps, ctx, opened) : undefined };
}

async function findSealed(
  deps: OpenConnectionDeps,
  ctx: RequestContext,
  reference: ConnectionReference,
  endUserId: string | undefined,
): Promise<SealedConnection> {
  // An end user without a default uses the lowest id, which only resolveConnection's own query finds.
  const isTheirDefault = endUserId !== undefined && reference.kind === 'application';
  const named = isTheirDefault
    ? ({ kind: 'id', id: (await resolveConnection(deps, ctx, reference, endUserId)).id } as const)
    : reference;
  const sealed = await deps.credentials.find(ctx, actingAccountOf(ctx), named);
  const isReachable = endUserId === undefined || sealed?.connection.endUserId === endUserId;
  if (sealed !== undefined && isReachable) return sealed;
  throw named.kind === 'id' ? notFound('connection') : noDefault(named.applicationSlug, endUserId);
}
