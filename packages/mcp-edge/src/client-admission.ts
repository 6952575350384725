import type { IncomingHttpHeaders } from 'node:http';
import type { Budgets } from '@fairlead/access/budgets';
import { isAllowed } from '@fairlead/access/permissions';
import type { Principal } from '@fairlead/access/principal';
import type { Resources } from '@fairlead/access/resources';
import { API_METADATA_PATH, MCP_SCOPES } from '@fairlead/access/well-known';
import { ApiError } from '@fairlead/errors/api-error';
import { InactiveUserError } from '@fairlead/rest-kit/authenticate';
import { setBudgetHeaders } from '@fairlead/rest-kit/budget';
import type { CallLimits, LimitedAccount } from '@fairlead/rest-kit/call-limits';
import { callerOf } from '@fairlead/rest-kit/caller-of';
import { createChallenges } from '@fairlead/rest-kit/challenge';
import type { Challenges } from '@fairlead/rest-kit/challenge';
import type { ChooseCanaries } from '@fairlead/rest-kit/choose-canaries';
import type { KeyOwner } from '@fairlead/rest-kit/idempotency/domain/call';
import { keyOwnerOf } from '@fairlead/rest-kit/idempotency/key-owner';
import type { Caller } from '@fairlead/service-kit/context/caller';
import type { Exchange } from '@fairlead/service-kit/http/exchange';
import type { Request, Response } from 'express';
import { audienceOf } from './addresses.ts';
import type { McpAddress } from './addresses.ts';
import type { FindServer, ServerSummary } from './find-server.ts';

/** A client that may call a server. */
export interface AdmittedClient {
  readonly serverId: string;
  readonly caller: Caller;
  /** The owner of the client's idempotency keys; undefined: it has no credential. */
  readonly keyOwner: KeyOwner | undefined;
  /** The server's account, whose budgets count the client's requests. */
  readonly account: LimitedAccount;
  /** Whether the client would be admitted again. During an outage, the answer is yes. */
  readonly isStillAdmitted: () => Promise<boolean>;
}

/** The headers that may carry a credential. */
type CredentialHeaders = Pick<IncomingHttpHeaders, 'authorization' | 'x-api-key'>;

/** Errors that mean that a client is not admitted; any other error may be temporary. */
const REFUSALS: ReadonlySet<string> = new Set(['UNAUTHORIZED', 'NOT_FOUND', 'ACCOUNT_USER_INACTIVE']);

/** Admits a client to the server at an address. */
export type AdmitClient = (
  exchange: Exchange,
  request: Request,
  response: Response,
  address: McpAddress,
) => Promise<AdmittedClient>;

export interface ClientAdmissionOptions {
  readonly findServer: FindServer;
  /**
   * Finds the caller of a request; throws UNAUTHORIZED, an InactiveUserError or UNAVAILABLE. `audience`: the required
   * audience of bearer tokens; `isKeyBearer`: `Authorization: Bearer` may also contain an API key.
   */
  readonly authenticate: (
    headers: IncomingHttpHeaders,
    accepted: { readonly audience: string; readonly isKeyBearer: boolean },
  ) => Promise<Principal>;
  /** The budgets of an open account; undefined for other accounts. */
  readonly findBudgets: (accountId: string) => Promise<Budgets | undefined>;
  readonly limits: Pick<CallLimits, 'peek'>;
  readonly resources: Resources;
  /** This service's name in calls to others. */
  readonly service: string;
  /** Chooses canaries; undefined: canaries are not in use. */
  readonly chooseCanaries?: ChooseCanaries | undefined;
}

/**
 * Creates the admission of clients. At the address with the token: NOT_FOUND, always the same, for a server that does not exist or is
 * not active, and for a credential of another account; UNAUTHORIZED without a valid credential, unless the server admits clients
 * without any. At the address without the token: UNAUTHORIZED first, whether or not the server exists. FORBIDDEN for a credential that
 * does not allow to execute tools.
 */
export function createClientAdmission(o: ClientAdmissionOptions): AdmitClient {
  async function admitTo(
    server: ServerSummary | undefined,
    principal: Principal | undefined,
  ): Promise<Omit<AdmittedClient, 'isStillAdmitted'>> {
    if (server?.isActive !== true) throw noServer();
    const { accountId, serverId } = server;
    if (principal !== undefined) {
      if (principal.accountId !== accountId) throw noServer();
      return {
        serverId,
        caller: callerOf(principal, o.service),
        keyOwner: keyOwnerOf(principal),
        account: principal,
      };
    }
    const budgets = await o.findBudgets(accountId);
    // An account that is being erased accepts no calls.
    if (budgets === undefined) throw noServer();
    return {
      serverId,
      caller: { kind: 'anonymousClient', accountId, serverId },
      keyOwner: undefined,
      account: { accountId, budgets },
    };
  }

  async function authenticate(
    headers: CredentialHeaders,
    address: McpAddress,
    server: ServerSummary | undefined,
  ): Promise<Principal> {
    try {
      return await o.authenticate(headers, {
        audience: audienceOf(address, o.resources),
        isKeyBearer: true,
      });
    } catch (error) {
      const isForeign =
        error instanceof InactiveUserError &&
        server !== undefined &&
        server.accountId !== error.account.accountId;
      throw isForeign ? noServer() : error;
    }
  }

  /** The client with these credentials, before any check of permissions; `principal` is undefined without credentials. */
  async function identify(headers: CredentialHeaders, address: McpAddress) {
    const { key } = address;
    const isKnownFirst = key.case === 'tokenHash';
    const known = isKnownFirst ? await o.findServer(key) : undefined;
    if (isKnownFirst && known?.isActive !== true) throw noServer();
    const isAnonymous = known?.isAnonymousAllowed === true && !hasCredential(headers);
    const principal = isAnonymous ? undefined : await authenticate(headers, address, known);
    return { principal, client: await admitTo(isKnownFirst ? known : await o.findServer(key), principal) };
  }

  async function isStillAdmitted(headers: CredentialHeaders, address: McpAddress): Promise<boolean> {
    try {
      const { principal } = await identify(headers, address);
      return principal === undefined || missingScopes(principal).length === 0;
    } catch (error) {
      return !(error instanceof ApiError && REFUSALS.has(error.code));
    }
  }

  return async (exchange, request, response, address) => {
    const { authorization, 'x-api-key': key } = request.headers;
    const headers: CredentialHeaders = { authorization, 'x-api-key': key };
    const challenges = challengesOf(address, o.resources);
    exchange.challenge = challenges.unauthorized(request.headers);
    const { principal, client } = await identify(headers, address).catch((error: unknown) => {
      if (error instanceof InactiveUserError) setBudgetHeaders(response, o.limits.peek(error.account));
      throw error;
    });
    const { accountId } = client.account;
    exchange.accountId = accountId;
    exchange.canaries = o.chooseCanaries?.({
      headers: request.headers,
      accountId,
      credentialId: principal?.credentialId,
    });
    if (principal !== undefined) {
      exchange.userId = principal.userId;
      requireScopes(principal, response, challenges);
    }
    return { ...client, isStillAdmitted: () => isStillAdmitted(headers, address) };
  };
}

/** The same error for a server that does not exist, is not active, or belongs to another account. */
export function noServer(): ApiError {
  return new ApiError('NOT_FOUND', 'No MCP server has this address.');
}

function hasCredential(headers: CredentialHeaders): boolean {
  return Boolean(headers.authorization) || Boolean(headers['x-api-key']);
}

function missingScopes(principal: Principal): readonly string[] {
  return MCP_SCOPES.filter((scope) => !isAllowed(scope, principal));
}

function requireScopes(principal: Principal, response: Response, challenges: Challenges): void {
  const missing = missingScopes(principal);
  if (missing.length === 0) return;
  const text = missing.join(' ');
  response.setHeader('www-authenticate', challenges.insufficientScope(text));
  throw new ApiError('FORBIDDEN', `The credential does not allow ${text}, which the MCP servers need.`);
}

/** The metadata URL of the address. Our headers never contain a server's token. */
function challengesOf(address: McpAddress, resources: Resources): Challenges {
  const { api } = resources;
  return createChallenges(api + API_METADATA_PATH + audienceOf(address, resources).slice(api.length));
}
