import { generateKeyPairSync } from 'node:crypto';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { ConnectRouter, ServiceImpl } from '@connectrpc/connect';
import { generateApiKey, hashApiKey } from '@fairlead/access/api-key';
import type { Scope } from '@fairlead/access/permissions';
import { OAUTH_PATH } from '@fairlead/access/resources';
import { WELL_KNOWN_PATHS } from '@fairlead/access/well-known';
import type { Account } from '@fairlead/contracts/identity/v1/account_pb';
import { CredentialService } from '@fairlead/contracts/identity/v1/credential_service_pb';
import type { User } from '@fairlead/contracts/identity/v1/user_pb';
import { systemClock } from '@fairlead/service-kit/clock';
import type { Clock } from '@fairlead/service-kit/clock';
import { requirePlatform } from '@fairlead/service-kit/context/context';
import type { HttpHandler, Mount, Page } from '@fairlead/service-kit/http/app';
import { clientAddressOf } from '@fairlead/service-kit/http/passed-on';
import { sendJson } from '@fairlead/service-kit/http/reply';
import { randomBase62 } from '@fairlead/service-kit/ids';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { startRpcServer } from '@fairlead/service-kit/rpc/server';
import type { RpcServer } from '@fairlead/service-kit/rpc/server';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { addressFor } from '@fairlead/service-kit/testing/peer';
import { testCallerKeys } from '@fairlead/service-kit/testing/rpc';
import { SignJWT } from 'jose';
import { accountMessage, userMessage } from '@fairlead/rest-records/testing/identity-messages';
import type { Members } from '@fairlead/rest-records/testing/identity-messages';

/** An account with one user and one API key, whose members a test may change. */
export interface RemoteMember {
  readonly account: Account;
  readonly user: User;
  readonly apiKey: string;
  isKeyRevoked: boolean;
}

/** The claims of a token of the stand-in. */
export interface IssuedToken {
  readonly scopes?: readonly Scope[];
  readonly audience?: string;
  readonly grantId?: string;
  readonly tokenId?: string;
  readonly kid?: string;
}

/** A stand-in for the identity service, whose data a test sets. */
export interface RemoteIdentity {
  /** Value for IDENTITY_URL. */
  readonly url: string;
  /** Value for IDENTITY_PAGES_URL. */
  readonly pagesUrl: string;
  /** Names of the answered RPCs, in order. */
  readonly calls: string[];
  /** Recorded last uses of keys, by key id. */
  readonly keyUses: ReadonlyMap<string, Date>;
  /** Revoked grants and tokens, by id. */
  readonly revoked: Set<string>;
  addMember(o?: { readonly account?: Members<Account>; readonly user?: Members<User> }): RemoteMember;
  /** Removes an account with everything in it. */
  removeMember(member: RemoteMember): void;
  /** Issues a token of that user for the API at the stand-in's public address, valid for 15 minutes. */
  issueToken(member: RemoteMember, o?: IssuedToken): Promise<string>;
  /** Signs further tokens with a new key. */
  rotateKey(): void;
  /** `hang`: RPCs are not answered until it is set to `serve`; `stop`: nothing listens. */
  set(state: 'serve' | 'hang' | 'stop'): Promise<void>;
  close(): Promise<void>;
}

interface SigningKey {
  readonly kid: string;
  readonly pair: ReturnType<typeof newKeyPair>;
}

const newKeyPair = () => generateKeyPairSync('rsa', { modulusLength: 2048 });

/** Starts a stand-in for the identity service of the installation at `publicUrl`, with the given RPC services besides. */
export async function startRemoteIdentity(o: {
  readonly publicUrl: string;
  readonly clock?: Clock;
  readonly routes?: (router: ConnectRouter) => void;
}): Promise<RemoteIdentity> {
  const { clock = systemClock } = o;
  const calls: string[] = [];
  const keyUses = new Map<string, Date>();
  const revoked = new Set<string>();
  const members = new Map<string, RemoteMember>();
  const byHash = new Map<string, RemoteMember>();
  const signingKeys: SigningKey[] = [{ kid: 'kid-1', pair: newKeyPair() }];
  let hanging: PromiseWithResolvers<void> | undefined;

  /** Refuses callers that are users, records the call, and answers it unless calls hang. */
  async function serve<T>(
    name: string,
    h: Parameters<typeof requestContext>[0],
    answer: () => T,
  ): Promise<T> {
    await hanging?.promise;
    requirePlatform(requestContext(h));
    calls.push(name);
    return answer();
  }
  const find = (accountId: string, userId: string) => {
    const member = members.get(accountId);
    return member?.user.id === userId ? member : undefined;
  };
  const credentials: ServiceImpl<typeof CredentialService> = {
    resolveKeys: ({ hashes }, h) =>
      serve('ResolveKeys', h, () => ({
        owners: hashes.map((hash) => {
          const member = byHash.get(hash);
          if (member === undefined || member.isKeyRevoked || !members.has(member.account.id)) return {};
          return { member: messageOf(member), keyId: keyIdOf(member) };
        }),
      })),
    resolveToken: ({ accountId, userId, tokenId, grantId }, h) =>
      serve('ResolveToken', h, () => {
        const member = find(accountId, userId);
        const isRevoked = revoked.has(tokenId) || (grantId !== undefined && revoked.has(grantId));
        return member === undefined || isRevoked ? {} : { member: messageOf(member) };
      }),
    resolveAccounts: ({ references }, h) =>
      serve('ResolveAccounts', h, () => ({
        members: references.map(({ accountId, userId, keyId }) => {
          const account = members.get(accountId)?.account;
          const member = userId === undefined ? undefined : find(accountId, userId);
          const isValid =
            keyId === undefined || (member && keyIdOf(member) === keyId && !member.isKeyRevoked) === true;
          const user = isValid ? member?.user : undefined;
          return { ...(account && { account }), ...(user && { user }) };
        }),
      })),
    resolveSignIn: (_request, h) => serve('ResolveSignIn', h, () => ({})),
    listVerificationKeys: (_request, h) =>
      serve('ListVerificationKeys', h, () => ({
        keys: signingKeys.map(({ kid, pair }) => ({
          kid,
          publicKey: pair.publicKey.export({ format: 'der', type: 'spki' }),
        })),
      })),
    recordKeyUses: ({ uses }, h) =>
      serve('RecordKeyUses', h, () => {
        for (const { keyId, usedAt } of uses) if (usedAt) keyUses.set(keyId, timestampDate(usedAt));
        return {};
      }),
  };
  /** Answers with the sent body and its caller, unless calls hang. */
  const describeRequest: HttpHandler = async (exchange, request, response) => {
    await hanging?.promise;
    const body = (await exchange.readBody())?.toString();
    const { method, originalUrl: url } = request;
    sendJson(response, 200, { method, url, body, address: clientAddressOf(request) });
  };
  const mount: Mount = {
    prefix: OAUTH_PATH,
    timeoutMs: 60_000,
    maxBodyBytes: 1_000,
    handle: describeRequest,
  };
  const pages = WELL_KNOWN_PATHS.map((path): Page => ({ path, isSafe: true, show: describeRequest }));
  const listen = (ports: { readonly PORT: number; readonly GRPC_PORT: number }): Promise<RpcServer> =>
    startRpcServer({
      name: 'identity',
      config: { HOST: '127.0.0.1', ...ports, CALLER_CONTEXT_KEYS: testCallerKeys, SHUTDOWN_GRACE_MS: 0 },
      log: createLogger({ service: 'identity', level: 'silent' }),
      clock,
      routes(router) {
        router.service(CredentialService, credentials);
        o.routes?.(router);
      },
      http: { pages, pageTimeoutMs: 60_000, mounts: [mount] },
    });
  const first = await listen({ PORT: 0, GRPC_PORT: 0 });
  const ports = { PORT: portOf(first.httpUrl), GRPC_PORT: portOf(first.grpcUrl) };
  let server: RpcServer | undefined = first;
  const set: RemoteIdentity['set'] = async (state) => {
    if (state !== 'hang') hanging?.resolve();
    hanging = state === 'hang' ? (hanging ?? Promise.withResolvers()) : undefined;
    if (state === 'stop') await server?.close();
    server = state === 'stop' ? undefined : (server ?? (await listen(ports)));
  };

  return {
    url: addressFor(first),
    pagesUrl: first.httpUrl,
    calls,
    keyUses,
    revoked,
    addMember({ account = {}, user = {} } = {}) {
      const apiKey = generateApiKey();
      const member = {
        account: accountMessage({ id: `acc_${randomBase62(22)}`, ...account }),
        user: userMessage({ id: `usr_${randomBase62(22)}`, ...user }),
        apiKey: apiKey.reveal(),
        isKeyRevoked: false,
      };
      members.set(member.account.id, member);
      byHash.set(hashApiKey(apiKey), member);
      return member;
    },
    removeMember: (member) => void members.delete(member.account.id),
    issueToken({ account, user }, token = {}) {
      const { tokenId = randomBase62(22), grantId, scopes = [], audience = o.publicUrl } = token;
      const issuedAt = Math.floor(clock.now().getTime() / 1000);
      const newest = signingKeys[0];
      if (newest === undefined) throw new Error('There is a signing key from the start.');
      return new SignJWT({
        account_id: account.id,
        user_id: user.id,
        client_id: 'client_1',
        scope: scopes.join(' '),
        ...(grantId !== undefined && { grant_id: grantId }),
      })
        .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: token.kid ?? newest.kid })
        .setJti(tokenId)
        .setIssuer(`${o.publicUrl}/oauth`)
        .setAudience(audience)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + 900)
        .sign(newest.pair.privateKey);
    },
    rotateKey: () => void signingKeys.unshift({ kid: `kid-${signingKeys.length + 1}`, pair: newKeyPair() }),
    set,
    close: () => set('stop'),
  };
}

function messageOf({ account, user }: RemoteMember) {
  return { account, user };
}

function keyIdOf({ user }: RemoteMember): string {
  return `key_${user.id.slice('usr_'.length)}`;
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
