import { createHash } from 'node:crypto';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { isGuid, randomBase62 } from '@fairlead/service-kit/ids';
import { Secret } from '@fairlead/service-kit/secret';
import { stateExpired } from '../domain/sign-in.ts';
import type { SignInStore } from './sign-in-store.ts';

/** What beginSignIn needs. */
export interface BeginSignInDeps {
  readonly signIns: Pick<SignInStore, 'bind'>;
  readonly clock: Clock;
}

// 256 bits.
const BINDING_LENGTH = 43;

/**
 * Binds a pending sign-in to the browser that asks and answers the vendor's address. A later browser takes over: the
 * first one may have been a link scanner. OAUTH_STATE_EXPIRED for a state that is not pending.
 */
export async function beginSignIn(
  { signIns, clock }: BeginSignInDeps,
  ctx: RequestContext,
  state: string,
): Promise<{ authorizeUrl: string; browserBinding: Secret }> {
  const binding = randomBase62(BINDING_LENGTH);
  const authorizeUrl = isGuid(state)
    ? await signIns.bind(ctx, state, hashBinding(binding), clock.now())
    : undefined;
  if (authorizeUrl === undefined) throw stateExpired();
  return { authorizeUrl, browserBinding: new Secret(binding) };
}

/** What is stored of a browser's binding. */
export function hashBinding(binding: string): string {
  return createHash('sha256').update(binding).digest('hex');
}
