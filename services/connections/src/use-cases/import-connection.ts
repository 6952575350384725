import { requiresOAuthSignIn } from '@fairlead/connector-model/model';
import type { Credential } from '@fairlead/connector-runtime/call';
import { CallFailure } from '@fairlead/connector-runtime/failure';
import { tokenHost } from '@fairlead/connector-runtime/oauth/token-host';
import { validationError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { userOf } from '@fairlead/service-kit/context/context';
import { Secret } from '@fairlead/service-kit/secret';
import type { AccountPermits } from '@fairlead/service-kit/permits/account-permits';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { isConnectableKind } from '../domain/connect-session.ts';
import type { Connection, FieldOptions, LicenceStatus } from '../domain/connection.ts';
import { newMembers } from '../domain/connection.ts';
import { callCredential, NO_VALUES } from '../domain/credential.ts';
import { checkDetails } from '../domain/details.ts';
import { requireEndUserId } from '../domain/end-user.ts';
import { chooseOptionFields, splitSecrets } from '../domain/fields.ts';
import { noSignInClient, withProviderFields } from '../domain/oauth-client.ts';
import type { ProviderChoice } from '../domain/oauth-client.ts';
import { signInPermit } from '../domain/vendor-permits.ts';
import { vendorText } from '../domain/vendor-text.ts';
import type { Catalog } from '../ports/catalog.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import type { MethodKey } from '../ports/own-clients.ts';
import { discoverOptions } from './discover-options.ts';
import { chooseClient } from './choose-client.ts';
import { requireMethod } from '../domain/require-method.ts';

/** A connection created elsewhere, with the OAuth client that `provider` names. */
export interface ImportConnectionCommand extends MethodKey {
  readonly connectionName: string;
  readonly provider: ProviderChoice;
  /** Null: the account's own connection. */
  readonly endUserId: string | null;
  readonly accessToken: Secret;
  /** Null: the vendor issued none. */
  readonly refreshToken: Secret | null;
  /** Expiry of the access token; null: unknown. */
  readonly expiresAt: Date | null;
  readonly licenceStatus: LicenceStatus;
  /** Maximum number of an end user's connections. */
  readonly maxConnections: number;
}

type ImportConnectionDeps = DepsOf<typeof chooseClient | typeof discoverOptions> & {
  readonly vendorPermits: Pick<AccountPermits, 'run'>;
  readonly catalog: Pick<Catalog, 'getConnector'>;
  readonly connections: Pick<ConnectionStore, 'nextId' | 'insert'>;
  readonly clock: Clock;
};

const TOKEN_MAX_CHARACTERS = 16_384;

/**
 * Stores a connection with given tokens and returns it. Only if the method's fields have choices, the vendor is asked, and the first choice
 * is taken; without an answer there is none, because an expired token is renewed at the first call only. VALIDATION_ERROR for an
 * application or method without sign-in, NOT_FOUND and INVALID_AUTH_PROVIDER as for a sign-in, CONFLICT if the end user has the maximum
 * number of connections.
 */
export async function importConnection(
  deps: ImportConnectionDeps,
  ctx: RequestContext,
  command: ImportConnectionCommand,
): Promise<Connection> {
  const { connectionName, endUserId, provider, accessToken, refreshToken, expiresAt, maxConnections } =
    command;
  const details = checkDetails({ connectionName, description: null, metadata: LazyJson.of({}) });
  if (endUserId !== null) requireEndUserId(endUserId);
  requireTokenLength('accessToken', accessToken);
  if (refreshToken !== null) requireTokenLength('refreshToken', refreshToken);
  const head = await deps.catalog.getConnector(ctx, command.applicationSlug);
  const method = requireMethod(head, command.authenticationId);
  if (!isConnectableKind(head.kind) || !requiresOAuthSignIn(method)) {
    throw validationError({
      field: 'authenticationId',
      issue: `${method.authenticationName} of ${head.name} does not use a sign-in`,
    });
  }
  const client = await chooseClient(deps, ctx, { applicationSlug: head.slug, method }, provider);
  if (client === undefined) throw noSignInClient(head.name);
  const { scheme } = method;
  const now = deps.clock.now();
  const { accountId, userId } = userOf(ctx);
  const tokens = { accessToken, refreshToken, obtainedAt: now, expiresAt, captured: NO_VALUES };
  const credential = withProviderFields(
    callCredential(1, {}, { secretFields: new Secret({}), tokens }),
    client,
  );
  const vendor = scheme.type === 'oauth2' ? tokenHost(scheme, { field: client.fields }) : undefined;
  const permit = signInPermit(
    { accountId, userId, connectSessionId: null },
    `https://${vendor ?? ''}`,
    ctx.signal,
  );
  const fieldOptions = await deps.vendorPermits.run(permit, () =>
    optionsOrNone(deps, ctx, accountId, { head, method }, credential),
  );
  const connection = {
    id: await deps.connections.nextId(),
    accountId,
    endUserId,
    ...details,
    ...newMembers(head, method, command.licenceStatus),
    credential: {
      fields: splitSecrets(method, chooseOptionFields(fieldOptions, {})),
      fieldOptions,
      tokens,
      vendor,
      authProviderId: client.authProviderId,
      addressRevision: client.addressRevision,
      consumes: null,
    },
    createdAt: now,
  };
  return await deps.connections.insert(ctx, accountId, connection, { maxConnections });
}

async function optionsOrNone(
  deps: DepsOf<typeof discoverOptions>,
  ctx: RequestContext,
  accountId: string,
  target: Parameters<typeof discoverOptions>[3],
  credential: Credential,
): Promise<FieldOptions> {
  try {
    return await discoverOptions(deps, ctx, accountId, target, credential);
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error;
    const reason = vendorText(error.message, credential.secrets);
    ctx.log.info({ reason }, 'the vendor listed no choices for an imported connection');
    return {};
  }
}

function requireTokenLength(field: string, token: Secret): void {
  const { length } = token.reveal();
  if (length >= 1 && length <= TOKEN_MAX_CHARACTERS) return;
  throw validationError({ field, issue: `must have 1 to ${TOKEN_MAX_CHARACTERS} characters` });
}
