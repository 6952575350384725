import { createHash } from 'node:crypto';
import type { Clock } from '@fairlead/service-kit/clock';
import { stateCookies } from '@fairlead/service-kit/http/state-cookies';
import { randomBase62 } from '@fairlead/service-kit/ids';
import type { Member } from '../domain/records.ts';
import { OAUTH_PATH } from '@fairlead/access/resources';
import type { UpstreamStore } from '../ports/upstream-store.ts';
import type { PageKeys } from './page-keys.ts';
import type { UpstreamProvider, UpstreamRequest } from './upstream-provider.ts';
import { UpstreamError } from './upstream-provider.ts';
import { activeMembers } from './members.ts';
import type { People } from './members.ts';
import type { UpstreamIdentity } from '../domain/upstream-identity.ts';

/** Path to which the provider redirects the browser. */
export const UPSTREAM_CALLBACK_PATH = `${OAUTH_PATH}/upstream/callback`;

/** The outcome of a sign-in at the provider. */
export type UpstreamOutcome =
  /** The person's active users; empty if the person is unknown here. */
  | { readonly kind: 'identified'; readonly members: readonly Member[] }
  | { readonly kind: 'refused' | 'unavailable'; readonly error: UpstreamError };

/** Sign-in with the operator's OpenID provider. */
export interface UpstreamSignIn {
  readonly name: string;
  /** Sends the browser of an interaction to the provider. Throws an UpstreamError. */
  begin(interactionId: string): Promise<{ readonly url: URL; readonly setCookie: string }>;
  /** Completes the sign-in of a returning browser, once and within five minutes; undefined if `begin` did not start it. */
  complete(o: { readonly query: string; readonly cookieHeader: string | undefined }): Promise<
    | {
        readonly interactionId: string;
        readonly clearCookie: string;
        readonly outcome: UpstreamOutcome;
      }
    | undefined
  >;
}

/** The dependencies of upstream sign-in. */
export interface UpstreamSignInDeps {
  readonly provider: UpstreamProvider;
  readonly store: UpstreamStore;
  readonly people: People;
  readonly keys: PageKeys;
  readonly publicUrl: string;
  readonly clock: Clock;
}

const LIFETIME_MS = 5 * 60_000;
const RANDOM_LENGTH = 32;

/**
 * The state names the interaction. Verifier and nonce are derived from the state, the browser's cookie and our key, so a reader of the
 * database cannot take over a sign-in.
 */
export function createUpstreamSignIn(deps: UpstreamSignInDeps): UpstreamSignIn {
  const { provider, store, keys, clock } = deps;
  const cookies = stateCookies({ publicUrl: deps.publicUrl, name: 'fairlead-sign-in' });
  const requestOf = (state: string, binding: string): UpstreamRequest => ({
    redirectUri: deps.publicUrl + UPSTREAM_CALLBACK_PATH,
    state,
    nonce: keys.sign('upstream-nonce', state, binding),
    codeVerifier: keys.sign('upstream-verifier', state, binding),
  });
  return {
    name: provider.name,
    async begin(interactionId) {
      const random = randomBase62(RANDOM_LENGTH);
      const binding = randomBase62(RANDOM_LENGTH);
      const state = `${interactionId}.${random}`;
      const url = await provider.authorizationUrl(requestOf(state, binding));
      const expiresAt = new Date(clock.now().getTime() + LIFETIME_MS);
      await store.putSignIn({ interactionId, hash: hashOf(state, binding), expiresAt });
      return { url, setCookie: cookies.set(random, binding) };
    },
    async complete({ query, cookieHeader }) {
      const state = new URLSearchParams(query).get('state') ?? '';
      const [interactionId = '', random = ''] = state.split('.');
      const binding = cookies.read(cookieHeader, random);
      if (!(await store.takeSignIn({ interactionId, hash: hashOf(state, binding) }))) return undefined;
      const outcome = await outcomeOf(deps, requestOf(state, binding), query);
      return { interactionId, clearCookie: cookies.clear(random), outcome };
    },
  };
}

async function outcomeOf(
  deps: UpstreamSignInDeps,
  request: UpstreamRequest,
  query: string,
): Promise<UpstreamOutcome> {
  try {
    const identity = await deps.provider.identify(request, query);
    return { kind: 'identified', members: await membersOf(deps, identity) };
  } catch (error) {
    if (error instanceof UpstreamError) return { kind: error.kind, error };
    throw error;
  }
}

/**
 * The users linked to an identity. First links those with its verified e-mail address, unless they are linked to another identity of the
 * issuer: the address may have been reassigned to another person.
 */
async function membersOf(
  { store, people }: UpstreamSignInDeps,
  identity: UpstreamIdentity,
): Promise<readonly Member[]> {
  const linked = await store.findLinked(identity);
  const known = await Promise.all(linked.map((userId) => people.findMembershipsOf(userId)));
  const byEmail =
    identity.verifiedEmail === undefined
      ? []
      : (await people.findMembersByEmail(identity.verifiedEmail)).filter(
          ({ user }) => !linked.includes(user.id),
        );
  const added: Member[] = [];
  for (const member of activeMembers(byEmail)) {
    const { user, account } = member;
    if (await store.link(identity, { userId: user.id, accountId: account.id })) added.push(member);
  }
  return [...activeMembers(known.flat()), ...added];
}

function hashOf(state: string, binding: string): string {
  return createHash('sha256')
    .update(JSON.stringify([state, binding]))
    .digest('hex');
}
